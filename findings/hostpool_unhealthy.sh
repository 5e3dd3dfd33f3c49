#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-hailocab-go-hostpool-dev 2016-01-25 (Debian 12), Go 1.19.
# Expected: the documentation says that ReturnUnhealthy(true) prevents an unhealthy host from being returned: Get() then
#   returns nil when all hosts have failed.
# Really: it is the other way round. With true, which is also the setting of a new pool, the failed hosts are made healthy
#   again, all at once and without their delay, and the first one is returned. With false Get() returns nil, so that a
#   program which followed the documentation and asks for nil after true never sees it.
# Seen: the lines at the end of this script, with two hosts. Control: one of the two has failed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-hailocab-go-hostpool-dev '0.0~git20160125*'
debian golang-go '2:1.19*'

cat >"$tmp/unhealthy.go" <<'PROGRAM'
package main

import (
	"errors"
	"fmt"

	"github.com/hailocab/go-hostpool"
)

func get(pool hostpool.HostPool) string {
	response := pool.Get()
	if response == nil {
		return "nil"
	}
	response.Mark(errors.New("down"))
	return response.Host()
}

func run(title string, prepare func(hostpool.HostPool)) {
	pool := hostpool.New([]string{"a", "b"})
	prepare(pool)
	fmt.Printf("%s: two that are down: %s %s; then", title, get(pool), get(pool))
	for number := 0; number < 4; number++ {
		fmt.Printf(" %s", get(pool))
	}
	fmt.Println()
}

func main() {
	run("ReturnUnhealthy(true)", func(pool hostpool.HostPool) { pool.ReturnUnhealthy(true) })
	run("ReturnUnhealthy(false)", func(pool hostpool.HostPool) { pool.ReturnUnhealthy(false) })
	run("a new pool", func(pool hostpool.HostPool) {})
	pool := hostpool.New([]string{"a", "b"})
	pool.ReturnUnhealthy(true)
	fmt.Printf("control, one is down: %s; then", get(pool))
	for number := 0; number < 4; number++ {
		response := pool.Get()
		response.Mark(nil)
		fmt.Printf(" %s", response.Host())
	}
	fmt.Println()
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'ReturnUnhealthy(true): two that are down: a b; then a b a b
ReturnUnhealthy(false): two that are down: a b; then nil nil nil nil
a new pool: two that are down: a b; then a b a b
control, one is down: a; then b b b b' "$(go run "$tmp/unhealthy.go" 2>"$tmp/log")"

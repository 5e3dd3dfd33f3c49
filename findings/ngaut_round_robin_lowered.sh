#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-ngaut-pools-dev 0.0~git20141008 (Debian 12; RoundRobin), Go 1.19.
# Expected: after SetCapacity(1) the pool lends one resource at a time, when those that are out have come back.
# Really: what lies in the pool is kept, without a look at what is out, and a resource that is there is lent without a
#   look at the capacity: with two of three out, and the capacity lowered to 1, a third one is lent.
# Seen: the lines at the end of this script. Controls: the capacity was 1 from the beginning; nothing lies in the pool.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-ngaut-pools-dev '0.0~git20141008.*'
debian golang-go '2:1.19*'

cat >"$tmp/lowered.go" <<'PROGRAM'
package main

import (
	"fmt"

	"github.com/ngaut/pools"
)

type connection struct{}

func (connection) Close() {}

// As many are taken as the first number says, some are given back, then the capacity is lowered to 1.
func run(title string, capacity, taken, back int) {
	pool := pools.NewRoundRobin(capacity, 0)
	pool.Open(func() (pools.Resource, error) { return connection{}, nil })
	for i := 0; i < taken; i++ {
		pool.TryGet()
	}
	for i := 0; i < back; i++ {
		pool.Put(connection{})
	}
	pool.SetCapacity(1)
	out := taken - back
	fmt.Printf("%s: %d out", title, out)
	if resource, _ := pool.TryGet(); resource != nil {
		out++
	}
	_, now, _, _, _, _ := pool.Stats()
	fmt.Printf(", after one more caller %d of %d\n", out, now)
}

func main() {
	run("3, lowered to 1", 3, 3, 1)
	run("10, lowered to 1", 10, 10, 1)
	run("control, 1 from the beginning", 1, 1, 0)
	run("control, nothing lies in the pool", 3, 2, 0)
}
PROGRAM

as_stated '3, lowered to 1: 2 out, after one more caller 3 of 1
10, lowered to 1: 9 out, after one more caller 10 of 1
control, 1 from the beginning: 1 out, after one more caller 1 of 1
control, nothing lies in the pool: 2 out, after one more caller 2 of 1' "$(GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$tmp/cache HOME=$tmp go run "$tmp/lowered.go")"

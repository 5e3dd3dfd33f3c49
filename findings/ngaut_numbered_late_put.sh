#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-ngaut-pools-dev 0.0~git20141008 (Debian 12), Go 1.19.
# Expected: Numbered locks a resource for who gets it, and Put() unlocks it for somebody else: a holder whose resource
#   was taken out of the pool in the meantime has nothing to unlock.
# Really: Put() names the number only. If the number was registered anew, the late Put() of the old holder unlocks the
#   new resource under its present holder, and the next caller gets it as well.
# Seen: the lines at the end of this script. Controls: no late Put(); the new one has another number.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-ngaut-pools-dev '0.0~git20141008.*'
debian golang-go '2:1.19*'

cat >"$tmp/late.go" <<'PROGRAM'
package main

import (
	"fmt"

	"github.com/ngaut/pools"
)

func told(err error) string {
	if err != nil {
		return err.Error()
	}
	return "granted"
}

func run(title string, number int64, late bool) {
	pool := pools.NewNumbered()
	pool.Register(1, "transaction of A")
	pool.Get(1, "work of A")
	// A was too slow: its transaction is ended, and a new one comes in.
	pool.Unregister(1)
	pool.Register(number, "transaction of B")
	_, err := pool.Get(number, "work of B")
	fmt.Printf("%s: B is %s", title, told(err))
	if late {
		pool.Put(1)
	}
	_, err = pool.Get(number, "work of C")
	fmt.Printf("; while B works C is told: %s\n", told(err))
}

func main() {
	run("A puts back late", 1, true)
	run("control, A does not", 1, false)
	run("control, another number", 2, true)
}
PROGRAM

as_stated 'A puts back late: B is granted; while B works C is told: granted
control, A does not: B is granted; while B works C is told: in use: work of B
control, another number: B is granted; while B works C is told: in use: work of B' "$(GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$tmp/cache HOME=$tmp go run "$tmp/late.go")"

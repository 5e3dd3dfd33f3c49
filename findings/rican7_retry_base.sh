#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-rican7-retry-dev 0.3.1 (Debian 12; backoff), Go 1.19.
# Expected: Exponential(1 s, 1.2) multiplies 1 s by 1.2 to the power of the attempt, and takes a base that is no whole number.
# Really: the power is cut to a whole number first: with a base of 1.2 the first three waits are 1 s, with 1.1 the first
#   seven; with a base of 0.5, for waits that get shorter, there is no wait at all.
# Seen: the lines at the end of this script. Control: a base of 2.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-rican7-retry-dev '0.3.1-*'
debian golang-go '2:1.19*'

cat >"$tmp/base.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/Rican7/retry/backoff"
)

func run(title string, base float64) {
	wait := backoff.Exponential(time.Second, base)
	fmt.Printf("%s %v:", title, base)
	for attempt := uint(1); attempt <= 8; attempt++ {
		fmt.Printf(" %v", wait(attempt))
	}
	fmt.Println()
}

func main() {
	run("a base of", 1.1)
	run("a base of", 1.2)
	run("a base of", 1.5)
	run("a base of", 0.5)
	run("control, a base of", 2)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'a base of 1.1: 1s 1s 1s 1s 1s 1s 1s 2s
a base of 1.2: 1s 1s 1s 2s 2s 2s 3s 4s
a base of 1.5: 1s 2s 3s 5s 7s 11s 17s 25s
a base of 0.5: 0s 0s 0s 0s 0s 0s 0s 0s
control, a base of 2: 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s' "$(go run "$tmp/base.go")"

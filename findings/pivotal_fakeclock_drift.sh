#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-pivotal-golang-clock-dev 0.0~git20151018 (Debian 12; fakeclock), Go 1.19.
# Expected: a ticker of 3 s ticks at 3, 6, 9 and 12 s, as a ticker does that keeps its period.
# Really: the next tick is reckoned from the step of the clock in which the last one was noticed: with steps of 2 s it ticks
#   at 4, 8 and 12 s. A lease that is renewed by it and lasts for 3.5 s is lost in the test alone.
# Seen: the lines at the end of this script. Controls: steps of 1 s and of 3 s.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-pivotal-golang-clock-dev '0.0~git20151018.*'
debian golang-go '2:1.19*'

cat >"$tmp/drift.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/pivotal-golang/clock/fakeclock"
)

func fake(title string, step time.Duration) {
	begin := time.Unix(0, 0)
	now := fakeclock.NewFakeClock(begin)
	ticker := now.NewTicker(3 * time.Second)
	fmt.Printf("%s: ticks are noticed at", title)
	for i := time.Duration(0); i < 24*time.Second; i += step {
		now.Increment(step)
		select {
		case <-ticker.C():
			fmt.Printf(" %v", now.Since(begin))
		default:
		}
	}
	fmt.Println()
}

func main() {
	fake("steps of 2 s", 2*time.Second)
	fake("steps of 5 s", 5*time.Second)
	fake("control, steps of 1 s", time.Second)
	fake("control, steps of 3 s", 3*time.Second)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'steps of 2 s: ticks are noticed at 4s 8s 12s 16s 20s 24s
steps of 5 s: ticks are noticed at 5s 10s 15s 20s 25s
control, steps of 1 s: ticks are noticed at 3s 6s 9s 12s 15s 18s 21s 24s
control, steps of 3 s: ticks are noticed at 3s 6s 9s 12s 15s 18s 21s 24s' "$(go run "$tmp/drift.go")"

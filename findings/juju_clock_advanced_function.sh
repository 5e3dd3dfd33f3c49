#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-juju-clock-dev 1.0.2 (Debian 12; testclock.NewDilatedWallClock), with Go 1.19.
# Expected: the clock implements clock.Clock with Advance(): when it is advanced beyond the time of AfterFunc(d, f) the
#   function is called, as the channel of a timer is told.
# Really: a timer that falls due by Advance() sends the time to its channel, also if it has a function instead. Nobody reads
#   that channel and the function is never called: a lease that ends by such a timer never ends in the test. What
#   is left over after Advance(), and runs out by itself, is called.
# Seen: the lines at the end of this script. Controls: a second is left over; nothing is advanced.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-juju-clock-dev '1.0.2-*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/juju/clock/testclock"
)

// A function is due in so many minutes of a clock that runs as fast as the real one, and the clock is advanced.
func run(title string, due, advance, wait time.Duration) {
	clock := testclock.NewDilatedWallClock(time.Second)
	called := make(chan bool, 1)
	clock.AfterFunc(due, func() { called <- true })
	told := clock.NewTimer(due)
	clock.Advance(advance)
	function, channel := "is not called", "is not told"
	end := time.After(wait)
	for open := true; open; {
		select {
		case <-called:
			function = "is called"
		case <-told.Chan():
			channel = "is told"
		case <-end:
			open = false
		}
	}
	fmt.Printf("%s: the function %s, the channel %s\n", title, function, channel)
}

func main() {
	run("due in an hour, advanced by two", time.Hour, 2*time.Hour, 4*time.Second)
	run("due in an hour, advanced by one", time.Hour, time.Hour, 4*time.Second)
	run("control, due in an hour, advanced by all but a second", time.Hour, time.Hour-time.Second, 6*time.Second)
	run("control, due in a second, advanced by nothing", time.Second, 0, 6*time.Second)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'due in an hour, advanced by two: the function is not called, the channel is told
due in an hour, advanced by one: the function is not called, the channel is told
control, due in an hour, advanced by all but a second: the function is called, the channel is told
control, due in a second, advanced by nothing: the function is called, the channel is told' "$("$tmp/program")"

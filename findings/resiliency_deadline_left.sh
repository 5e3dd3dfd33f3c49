#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-gopkg-eapache-go-resiliency.v1-dev 1.2.0 (Debian 12; deadline), with Go 1.19.
# Expected: when the deadline passes Run() closes the stopper, so that the function can end, says its comment.
# Really: the function ends and its goroutine does not: it hands its result to a caller that has gone. Each time-out
#   leaves one for as long as the program runs, with all that it holds.
# Seen: the lines at the end of this script, 1 s after the last call. Control: the functions end in time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-gopkg-eapache-go-resiliency.v1-dev '1.2.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"gopkg.in/eapache/go-resiliency.v1/deadline"
)

func run(title string, late bool) {
	before := runtime.NumGoroutine()
	var ended int32
	timedOut := 0
	for i := 0; i < 50; i++ {
		err := deadline.New(10 * time.Millisecond).Run(func(stopper <-chan struct{}) error {
			if late {
				<-stopper
			}
			atomic.AddInt32(&ended, 1)
			return nil
		})
		if err == deadline.ErrTimedOut {
			timedOut++
		}
	}
	time.Sleep(time.Second)
	fmt.Printf("%s: %d of 50 timed out, %d functions have ended, %d goroutines are left\n", title, timedOut,
		atomic.LoadInt32(&ended), runtime.NumGoroutine()-before)
}

func main() {
	run("functions that end when they are stopped", true)
	run("control, functions that end at once", false)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'functions that end when they are stopped: 50 of 50 timed out, 50 functions have ended, 50 goroutines are left
control, functions that end at once: 0 of 50 timed out, 50 functions have ended, 0 goroutines are left' "$("$tmp/program")"

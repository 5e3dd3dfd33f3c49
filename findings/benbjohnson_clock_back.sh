#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-benbjohnson-clock-dev 1.3.0 (Debian 12), with Go 1.19.
# Expected: the comment of Add() says that it moves the time of the mock clock forward. A timer whose time is already over
#   fires at once, as in package time.
# Really: it fires with the next move of the clock, and that move sets the clock to the timer's time first: Now() in the
#   timer's function is earlier than what was read before, by as much as the timer was late.
# Seen: the lines at the end of this script. Controls: a timer in the future; package time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-benbjohnson-clock-dev '1.3.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/back.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/benbjohnson/clock"
)

// A function that is due at the given second is entered at the hundredth; the clock moves by ten seconds.
func run(title string, due int64) {
	mock := clock.NewMock()
	mock.Set(time.Unix(100, 0))
	before := mock.Now().Unix()
	seen := int64(0)
	mock.AfterFunc(time.Unix(due, 0).Sub(mock.Now()), func() { seen = mock.Now().Unix() })
	time.Sleep(100 * time.Millisecond)
	atOnce := seen != 0
	mock.Add(10 * time.Second)
	fmt.Printf("%s, due at %d: read %d, fires at once %v, then reads %d, in the end %d\n", title, due, before, atOnce, seen,
		mock.Now().Unix())
}

func main() {
	run("late", 40)
	run("late", 99)
	run("control, in the future", 105)
	fired := make(chan bool, 1)
	time.AfterFunc(-time.Minute, func() { fired <- true })
	fmt.Println("control, package time: fires at once", <-fired)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/back" "$tmp/back.go"
as_stated 'late, due at 40: read 100, fires at once false, then reads 40, in the end 110
late, due at 99: read 100, fires at once false, then reads 99, in the end 110
control, in the future, due at 105: read 100, fires at once false, then reads 105, in the end 110
control, package time: fires at once true' "$("$tmp/back")"

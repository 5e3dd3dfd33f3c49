#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-nozzle-throttler-dev 1.1 (Debian 12), with Go 1.19.
# Expected: the package says that SetMaxWorkers() changes how many workers run at a time, and that it takes effect at the
#   latest when one of them is done and Throttle() is called again. After it was lowered there are at most 4, as
#   before, and fewer from then on.
# Really: Throttle() waits when the count of workers is equal to the limit, and that count has passed it already. When
#   the next worker is done it never waits again before the last job: all the rest run at once, here 19 of 20 at a
#   time. To lower the limit by one is enough to have none.
# Seen: the lines at the end of this script. Controls: the limit stays; it is raised; it is lowered before the first job.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-nozzle-throttler-dev '1.1-*'
debian golang-go '2:1.19~*'

cat >"$tmp/lowered.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nozzle/throttler"
)

const jobs = 20

// Dispatches jobs that last until they are told to end. When as many run as may, the limit is changed, then two of them
// end, one after the other. Says how many run in between.
func run(title string, limit, changed int, early bool) {
	var running int32
	t := throttler.New(limit, jobs)
	if early {
		t.SetMaxWorkers(changed)
	}
	end := make(chan int)
	go func() {
		for i := 0; i < jobs; i++ {
			go func() {
				atomic.AddInt32(&running, 1)
				<-end
				atomic.AddInt32(&running, -1)
				t.Done(nil)
			}()
			t.Throttle()
		}
	}()
	settle := func() int32 {
		time.Sleep(700 * time.Millisecond)
		return atomic.LoadInt32(&running)
	}
	fmt.Printf("%s: %d run", title, settle())
	if !early {
		t.SetMaxWorkers(changed)
	}
	for i := 0; i < 2; i++ {
		end <- 1
		fmt.Printf(", one ends, %d run", settle())
	}
	fmt.Println()
}

func main() {
	run("lowered from 4 to 3", 4, 3, false)
	run("lowered from 4 to 1", 4, 1, false)
	run("control: 4 stays", 4, 4, false)
	run("control: raised from 2 to 4", 2, 4, false)
	run("control: lowered before the first job", 4, 2, true)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/lowered" "$tmp/lowered.go"
as_stated 'lowered from 4 to 3: 4 run, one ends, 19 run, one ends, 18 run
lowered from 4 to 1: 4 run, one ends, 19 run, one ends, 18 run
control: 4 stays: 4 run, one ends, 4 run, one ends, 4 run
control: raised from 2 to 4: 2 run, one ends, 4 run, one ends, 4 run
control: lowered before the first job: 2 run, one ends, 2 run, one ends, 2 run' "$("$tmp/lowered")"

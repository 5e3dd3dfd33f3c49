#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-go-co-op-gocron-dev 1.18.0 (Debian 12), with Go 1.19.
# Expected: the package says that SingletonMode() keeps a job from starting if its prior run has not completed, and that
#   SetMaxConcurrentJobs() limits how many jobs run at a time. With a limit of two and one job that runs, another
#   job gets the second place.
# Really: the turn of the singleton that may not start takes a place first and keeps it until the prior run ends. From
#   its second turn on one long job fills both places: "at most two" runs one, and all other jobs are skipped (or wait).
# Seen: the lines at the end of this script. Controls: the singleton has no second turn; a limit of three.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-go-co-op-gocron-dev '1.18.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/place.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-co-op/gocron"
)

func check(_ *gocron.Job, err error) {
	if err != nil {
		panic(err)
	}
}

// The singleton runs until the end. 0.5 s later another job is added, which is due five times a second.
func run(title string, limit int, turns bool) {
	var long, short int32
	end := make(chan int)
	s := gocron.NewScheduler(time.UTC)
	s.SetMaxConcurrentJobs(limit, gocron.RescheduleMode)
	s.StartAsync()
	every := s.Every(1).Hour()
	if turns {
		every = s.Every(200 * time.Millisecond).LimitRunsTo(2)
	}
	check(every.SingletonMode().Do(func() {
		atomic.AddInt32(&long, 1)
		<-end
	}))
	time.Sleep(500 * time.Millisecond)
	check(s.Every(200 * time.Millisecond).Do(func() { atomic.AddInt32(&short, 1) }))
	time.Sleep(1500 * time.Millisecond)
	fmt.Printf("%s: singletons that run: %d, the other job ran: %v\n", title, atomic.LoadInt32(&long),
		atomic.LoadInt32(&short) > 0)
	s.Clear()
	close(end)
	time.Sleep(200 * time.Millisecond)
	s.Stop()
}

func main() {
	run("at most 2, the singleton has a second turn", 2, true)
	run("control: at most 2, it has no second turn", 2, false)
	run("control: at most 3, it has a second turn", 3, true)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/place" "$tmp/place.go"
as_stated 'at most 2, the singleton has a second turn: singletons that run: 1, the other job ran: false
control: at most 2, it has no second turn: singletons that run: 1, the other job ran: true
control: at most 3, it has a second turn: singletons that run: 1, the other job ran: true' "$("$tmp/place")"

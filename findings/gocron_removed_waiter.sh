#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-go-co-op-gocron-dev 1.18.0 (Debian 12), with Go 1.19.
# Expected: the package says that SetMaxConcurrentJobs() limits how many jobs run at a time, that in WaitMode one waits
#   until a place is free, and that RemoveByReference() removes a job. A job that is removed while it waits does
#   not run.
# Really: to remove it is what starts it. The end of its wait by an error is taken for a place: it runs at once, beside
#   the one that has the only place, and gives back a place that it never had. So the next job runs beside the holder,
#   too. (When the holder gives its place back as well, the semaphore has more back than it gave, and panics.)
# Seen: the lines at the end of this script. Controls: the job is not removed; a job that does not wait is removed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-go-co-op-gocron-dev '1.18.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/removed.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/go-co-op/gocron"
)

const settle = 400 * time.Millisecond

// Adds a job that runs at once if it gets a place, and says so. It ends when the channel is closed.
func add(s *gocron.Scheduler, name string, end chan int) *gocron.Job {
	job, err := s.Every(1).Hour().Do(func() {
		fmt.Println(name, "runs")
		<-end
		fmt.Println(name, "ends")
	})
	if err != nil {
		panic(err)
	}
	time.Sleep(settle)
	return job
}

func started() *gocron.Scheduler {
	s := gocron.NewScheduler(time.UTC)
	s.SetMaxConcurrentJobs(1, gocron.WaitMode)
	s.StartAsync()
	return s
}

func main() {
	ended, held := make(chan int), make(chan int)
	close(ended)

	fmt.Println("control: B waits and is not removed")
	s := started()
	add(s, "A", held)
	add(s, "B", ended)
	fmt.Println("A is told to end")
	close(held)
	time.Sleep(settle)
	s.Stop()

	fmt.Println("control: B is removed after its run")
	s = started()
	b := add(s, "B", ended)
	s.RemoveByReference(b)
	held = make(chan int)
	add(s, "A", held)
	add(s, "C", ended)
	fmt.Println("A is told to end")
	close(held)
	time.Sleep(settle)
	s.Stop()

	fmt.Println("B is removed while it waits")
	s = started()
	add(s, "A", make(chan int))
	b = add(s, "B", ended)
	fmt.Println("B is removed")
	s.RemoveByReference(b)
	time.Sleep(settle)
	add(s, "C", ended)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/removed" "$tmp/removed.go"
as_stated 'control: B waits and is not removed
A runs
A is told to end
A ends
B runs
B ends
control: B is removed after its run
B runs
B ends
A runs
A is told to end
A ends
C runs
C ends
B is removed while it waits
A runs
B is removed
B runs
B ends
C runs
C ends' "$("$tmp/removed")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-gitlab-jonas.jasas-condchan-dev 0.0~git20190210 (Debian 12), with Go 1.19.
# Expected: the package says that it is sync.Cond with a wait in a select statement, that Wait() unlocks and suspends
#   atomically, and that Signal() wakes one who waits. Who changes the condition under the lock and signals reaches
#   everybody who had the lock before and went to wait.
# Really: Signal() reaches only those who stand at the channel at that instant. Who has unlocked and is not there yet,
#   because something else runs first, is not reached: the signal is lost, and the waiter sleeps although the
#   condition holds. Broadcast() reaches it. The instant is made longer here in two ways: by a lock whose Unlock()
#   takes three seconds, and by a function of Select() that does something before its select statement.
# Seen: the lines at the end of this script. Controls: sync.Cond with the same lock; Broadcast(); a later signal.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-gitlab-jonas.jasas-condchan-dev '0.0~git20190210.*'
debian golang-go '2:1.19~*'

cat >"$tmp/signal.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gitlab.com/jonas.jasas/condchan"
)

// A lock that is free at once, while the one who gave it up goes on three seconds later.
type leisurely struct{ sync.Mutex }

func (l *leisurely) Unlock() {
	l.Mutex.Unlock()
	time.Sleep(3 * time.Second)
}

// One waits for the condition; after a while another one makes it true under the lock and tells.
func run(title string, lock sync.Locker, wait, tell, rescue func(), after time.Duration) chan string {
	line := make(chan string, 1)
	go func() { line <- title + ": the waiter " + judge(lock, wait, tell, rescue, after) }()
	return line
}

func judge(lock sync.Locker, wait, tell, rescue func(), after time.Duration) string {
	ready := false
	var woken int32
	started := make(chan int)
	go func() {
		lock.Lock()
		close(started)
		for !ready {
			wait()
		}
		atomic.StoreInt32(&woken, 1)
		lock.Unlock()
	}()
	<-started
	time.Sleep(after)
	lock.Lock()
	ready = true
	tell()
	lock.Unlock()
	time.Sleep(5 * time.Second)
	state := func() string {
		if atomic.LoadInt32(&woken) == 1 {
			return "wakes"
		}
		return "sleeps"
	}
	if state() == "wakes" {
		return "wakes"
	}
	rescue()
	time.Sleep(2 * time.Second)
	return "sleeps, after a broadcast it " + state()
}

// All cases at the same time, each with a condition of its own.
func main() {
	const early, late = 300 * time.Millisecond, 7 * time.Second
	var lines []chan string
	chan1 := condchan.New(&leisurely{})
	lines = append(lines, run("Signal, Wait", chan1.L, chan1.Wait, chan1.Signal, chan1.Broadcast, early))
	chan2 := condchan.New(&sync.Mutex{})
	lines = append(lines, run("Signal, Select", chan2.L, func() {
		chan2.Select(func(told <-chan struct{}) {
			time.Sleep(3 * time.Second)
			select {
			case <-told:
			case <-time.After(time.Hour):
			}
		})
	}, chan2.Signal, chan2.Broadcast, early))
	cond := sync.NewCond(&leisurely{})
	lines = append(lines, run("control, sync.Cond", cond.L, cond.Wait, cond.Signal, cond.Broadcast, early))
	chan3 := condchan.New(&leisurely{})
	lines = append(lines, run("control, Broadcast", chan3.L, chan3.Wait, chan3.Broadcast, chan3.Broadcast, early))
	chan4 := condchan.New(&leisurely{})
	lines = append(lines, run("control, Signal, later", chan4.L, chan4.Wait, chan4.Signal, chan4.Broadcast, late))
	for _, line := range lines {
		fmt.Println(<-line)
	}
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/signal" "$tmp/signal.go"
as_stated 'Signal, Wait: the waiter sleeps, after a broadcast it wakes
Signal, Select: the waiter sleeps, after a broadcast it wakes
control, sync.Cond: the waiter wakes
control, Broadcast: the waiter wakes
control, Signal, later: the waiter wakes' "$("$tmp/signal")"

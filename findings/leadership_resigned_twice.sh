#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-docker-leadership-dev 0.1.0 (Debian 12), with Go 1.19; the store is one of the program.
# Expected: Resign() lets the candidate step down and run again; without leadership it has no effect, says its comment.
#   So two that come at once let it step down once.
# Really: while the lock is given back the second one still finds a leader and waits, with the candidate's mutex, for an
#   answer that the election cannot give without that mutex. The lock is free and another one leads; the
#   candidate says for ever that it is the leader, and tells nobody that it has stepped down.
# Seen: the lines at the end of this script. The order is certain: the second Resign() comes while the store gives the
#   lock back. Control: it comes 0.5 s later.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-docker-leadership-dev '0.1.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/docker/leadership"
	"github.com/docker/libkv/store"
)

// A store with one lock, of which only the calls of an election are made. Giving it back takes 0.3 s.
type shelf struct {
	store.Store
	free   chan bool
	giving chan bool
}

func (s *shelf) NewLock(key string, options *store.LockOptions) (store.Locker, error) { return s, nil }

func (s *shelf) Lock(stop chan struct{}) (<-chan struct{}, error) {
	<-s.free
	return make(chan struct{}), nil
}

func (s *shelf) Unlock() error {
	close(s.giving)
	time.Sleep(300 * time.Millisecond)
	s.free <- true
	return nil
}

type told struct{ yes, no int32 }

func start(s *shelf, name string) (*leadership.Candidate, *told) {
	candidate := leadership.NewCandidate(s, "leader", name, time.Second)
	elected, errors := candidate.RunForElection()
	seen := &told{}
	go func() {
		for {
			select {
			case status := <-elected:
				if status {
					atomic.AddInt32(&seen.yes, 1)
				} else {
					atomic.AddInt32(&seen.no, 1)
				}
			case <-errors:
			}
		}
	}()
	time.Sleep(200 * time.Millisecond)
	return candidate, seen
}

func run(title string, at_once bool) {
	s := &shelf{free: make(chan bool, 1), giving: make(chan bool)}
	s.free <- true
	a, toldA := start(s, "A")
	_, toldB := start(s, "B")
	no := atomic.LoadInt32(&toldA.no)
	go a.Resign()
	<-s.giving
	if !at_once {
		time.Sleep(500 * time.Millisecond)
	}
	returned := make(chan bool)
	go func() {
		a.Resign()
		close(returned)
	}()
	answer := "returned"
	select {
	case <-returned:
	case <-time.After(2 * time.Second):
		answer = "waits"
	}
	fmt.Printf("%s: the second Resign() %s, B was told %d times that it leads, A %d times that it has stepped down, A leads: %v\n",
		title, answer, atomic.LoadInt32(&toldB.yes), atomic.LoadInt32(&toldA.no)-no, a.IsLeader())
}

func main() {
	run("two at once", true)
	run("control, 0.5 s apart", false)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'two at once: the second Resign() waits, B was told 1 times that it leads, A 0 times that it has stepped down, A leads: true
control, 0.5 s apart: the second Resign() returned, B was told 1 times that it leads, A 1 times that it has stepped down, A leads: false' "$("$tmp/program")"

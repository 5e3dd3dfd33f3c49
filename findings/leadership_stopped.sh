#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-docker-leadership-dev 0.1.0 (Debian 12), with Go 1.19; the store is one of the program, which
#   grants in the order of arrival.
# Expected: after Stop() a candidate does not run any more, says its comment: it is not elected.
# Really: a candidate that waits looks at nothing but the lock. When the leader resigns, the stopped one is granted the
#   lock and tries to tell of its election. Its caller has stopped to listen: the lock is held, and its lease kept alive,
#   by a candidate that nobody runs, and the next one waits for ever. A caller that listens on is told true after Stop().
# Seen: the lines at the end of this script, 0.5 s after each step. Control: the stopped one is the leader.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-docker-leadership-dev '0.1.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/docker/leadership"
	"github.com/docker/libkv/store"
)

// A store with one lock, of which only the calls of an election are made.
type shelf struct {
	store.Store
	mutex sync.Mutex
	free  chan bool
	owner string
}

type lock struct {
	shelf *shelf
	owner string
}

func newShelf() *shelf {
	s := &shelf{free: make(chan bool, 1)}
	s.free <- true
	return s
}

func (s *shelf) NewLock(key string, options *store.LockOptions) (store.Locker, error) {
	return &lock{s, string(options.Value)}, nil
}

func (s *shelf) set(owner string) {
	s.mutex.Lock()
	s.owner = owner
	s.mutex.Unlock()
}

func (s *shelf) holder() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.owner == "" {
		return "nobody"
	}
	return s.owner
}

func (l *lock) Lock(stop chan struct{}) (<-chan struct{}, error) {
	<-l.shelf.free
	l.shelf.set(l.owner)
	return make(chan struct{}), nil
}

func (l *lock) Unlock() error {
	l.shelf.set("")
	l.shelf.free <- true
	return nil
}

type runner struct {
	*leadership.Candidate
	name string
	quit chan bool
	told string
}

// A program that runs for election and listens until it is told to quit.
func start(s *shelf, name string) *runner {
	r := &runner{leadership.NewCandidate(s, "leader", name, time.Second), name, make(chan bool), "nothing"}
	elected, errors := r.RunForElection()
	go func() {
		for {
			select {
			case status, open := <-elected:
				if !open {
					return
				}
				if status {
					r.told = "elected"
				}
			case <-errors:
			case <-r.quit:
				return
			}
		}
	}()
	settle()
	return r
}

func settle() { time.Sleep(500 * time.Millisecond) }

func run(title string, stopped string, listens bool) {
	s := newShelf()
	a := start(s, "A")
	b := start(s, "B")
	who := map[string]*runner{"A": a, "B": b}[stopped]
	who.Stop()
	if !listens {
		close(who.quit)
	}
	settle()
	if stopped == "B" {
		a.Stop()
		settle()
	}
	c := start(s, "C")
	fmt.Printf("%s: %s holds the lock, B was told %s, C was told %s\n", title, s.holder(), b.told, c.told)
}

func main() {
	run("B waits, is stopped and listens no more, A leaves", "B", false)
	run("B waits, is stopped and listens on, A leaves", "B", true)
	run("control, A leads and is stopped", "A", true)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'B waits, is stopped and listens no more, A leaves: B holds the lock, B was told nothing, C was told nothing
B waits, is stopped and listens on, A leaves: C holds the lock, B was told elected, C was told elected
control, A leads and is stopped: B holds the lock, B was told elected, C was told nothing' "$("$tmp/program")"

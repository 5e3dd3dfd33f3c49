#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-nightlyone-lockfile-dev 0.0~git20170804 (Debian 12), Go 1.19.
# Expected: TryLock() of a lock that is held says no, whoever asks.
# Really: the owner is a process: each goroutine of it that asks is told yes, one beside the other, and the first one that
#   unlocks lets other programs in; the unlock of the second one is then an error, or takes the lock of somebody else.
# Seen: the lines at the end of this script. Control: one goroutine, and another program.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-nightlyone-lockfile-dev '0.0~git20170804.*'
debian golang-go '2:1.19*'

cat >"$tmp/same.go" <<'PROGRAM'
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/nightlyone/lockfile"
)

func told(err error) string {
	if err != nil {
		return err.Error()
	}
	return "granted"
}

// Another program that asks once, and keeps nothing.
func other(path string) string {
	answer, _ := exec.Command(os.Args[0], path).Output()
	return string(answer)
}

func main() {
	lock, _ := lockfile.New(os.Args[1])
	if os.Getenv("HOLD") == "" {
		err := lock.TryLock()
		fmt.Print(told(err))
		if err == nil {
			lock.Unlock()
		}
		return
	}
	os.Unsetenv("HOLD")
	fmt.Printf("the first goroutine: %s; another program: %s\n", told(lock.TryLock()), other(os.Args[1]))
	second := make(chan string)
	go func() { second <- told(lock.TryLock()) }()
	fmt.Printf("the second goroutine beside it: %s\n", <-second)
	lock.Unlock()
	fmt.Printf("the first one leaves, the second one works; another program: %s\n", other(os.Args[1]))
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
go build -o "$tmp/same" "$tmp/same.go"
as_stated 'the first goroutine: granted; another program: Locked by other process
the second goroutine beside it: granted
the first one leaves, the second one works; another program: granted' "$(HOLD=1 "$tmp/same" "$tmp/lock")"

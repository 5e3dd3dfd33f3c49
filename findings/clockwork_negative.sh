#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-jonboulle-clockwork-dev 0.1.0 (Debian 12), Go 1.19.
# Expected: the documentation says that After() of the fake clock mimics time.After(). For a time that is over, a lease
#   that ended a second ago for instance, time.After() sends at once.
# Really: only a wait of exactly 0 is over at once. One of less than 0 counts as a sleeper: who waits for the rest of a
#   lease that has ended is told when the test moves the clock the next time, and a test that does not move it waits for
#   ever. BlockUntil(1), which waits for somebody to sleep, returns because of it.
# Seen: the lines at the end of this script. Controls: the real clock; the fake clock with 0; with a wait that is over
#   after the clock was moved.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-jonboulle-clockwork-dev '0.1.0-*'
debian golang-go '2:1.19*'

cat >"$tmp/negative.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
)

func told(wait <-chan time.Time) string {
	select {
	case <-wait:
		return "is told"
	case <-time.After(5 * time.Second):
		return "is not told in 5 s"
	}
}

func main() {
	fake := clockwork.NewFakeClock()
	real := clockwork.NewRealClock()
	fmt.Printf("fake, the lease ended 1 s ago: who waits %s\n", told(fake.After(-time.Second)))
	asleep := make(chan time.Time, 1)
	go func() {
		fake.BlockUntil(1)
		asleep <- time.Time{}
	}()
	fmt.Printf("  who waits for one sleeper %s\n", told(asleep))
	late := clockwork.NewFakeClock()
	wait := late.After(-time.Second)
	late.Advance(0)
	fmt.Printf("  when the clock is moved by 0 s, who waits %s\n", told(wait))
	fmt.Printf("control, real: who waits %s\n", told(real.After(-time.Second)))
	fmt.Printf("control, fake, it ends just now: who waits %s\n", told(clockwork.NewFakeClock().After(0)))
	other := clockwork.NewFakeClock()
	wait = other.After(time.Second)
	other.Advance(2 * time.Second)
	fmt.Printf("control, fake, 1 s, moved by 2 s: who waits %s\n", told(wait))
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'fake, the lease ended 1 s ago: who waits is not told in 5 s
  who waits for one sleeper is told
  when the clock is moved by 0 s, who waits is told
control, real: who waits is told
control, fake, it ends just now: who waits is told
control, fake, 1 s, moved by 2 s: who waits is told' "$(go run "$tmp/negative.go")"

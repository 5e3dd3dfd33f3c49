#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-juju-ratelimit-dev 1.0.1 (Debian 12; github.com/juju/ratelimit), with Go 1.19.
# Expected: the README says that a bucket fills at its rate up to its capacity and is full at first. So one instant
#   gives no more than its capacity, however long the bucket has rested.
# Really: a full bucket does not note the time. If it is new or was full at the last call, and has rested since, what
#   one takes is filled up at once for the time of its rest: who asks for 10 of 10 gets 20. Who asks for one by one gets
#   11, so a test with single tokens sees next to nothing. A look by Available() before the rest brings that about.
# Seen: the lines at the end of this script. Controls: a bucket that has not rested; one that was not full at the last
#   call.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-juju-ratelimit-dev '1.0.1-*'
debian golang-go '2:1.19~*'

cat >"$tmp/rested.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/juju/ratelimit"
)

// The package takes a clock from its caller; this one goes on when it is told to.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time        { return c.now }
func (c *clock) Sleep(d time.Duration) { c.now = c.now.Add(d) }

// The tokens that one instant gives to those who ask for this many at a time.
func given(bucket *ratelimit.Bucket, part int64) (sum int64) {
	for {
		taken := bucket.TakeAvailable(part)
		if taken == 0 {
			return sum
		}
		sum += taken
	}
}

// Ten tokens at most, one more each second.
func bucket() (*clock, *ratelimit.Bucket) {
	time := &clock{time.Unix(0, 0)}
	return time, ratelimit.NewBucketWithClock(1e9, 10, time)
}

func main() {
	for _, part := range []int64{10, 5, 1} {
		_, fresh := bucket()
		fmt.Printf("by %d: new %d", part, given(fresh, part))
		clock, rested := bucket()
		clock.Sleep(20e9)
		fmt.Printf(", new for 20 s %d", given(rested, part))
		clock.Sleep(9e9)
		fmt.Printf(", empty for 9 s %d", given(rested, part))
		clock.Sleep(20e9)
		fmt.Printf(", empty for 20 s %d", given(rested, part))
		clock.Sleep(20e9)
		rested.Available()
		clock.Sleep(20e9)
		fmt.Printf(", full for 20 s %d\n", given(rested, part))
	}

	clock, rested := bucket()
	clock.Sleep(20e9)
	fmt.Println("waits that Take(10) tells, new for 20 s:", rested.Take(10), rested.Take(10), rested.Take(10))
	_, fresh := bucket()
	fmt.Println("waits that Take(10) tells, new:", fresh.Take(10), fresh.Take(10), fresh.Take(10))

	real := ratelimit.NewBucket(time.Second, 3)
	time.Sleep(2200 * time.Millisecond)
	fmt.Println("by the wall clock, new for 2 s, more than its capacity:", given(real, 3) > real.Capacity())
	real = ratelimit.NewBucket(time.Second, 3)
	fmt.Println("by the wall clock, new, more than its capacity:", given(real, 3) > real.Capacity())
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/rested" "$tmp/rested.go"
as_stated 'by 10: new 10, new for 20 s 20, empty for 9 s 9, empty for 20 s 10, full for 20 s 20
by 5: new 10, new for 20 s 15, empty for 9 s 9, empty for 20 s 10, full for 20 s 15
by 1: new 10, new for 20 s 11, empty for 9 s 9, empty for 20 s 10, full for 20 s 11
waits that Take(10) tells, new for 20 s: 0s 0s 10s
waits that Take(10) tells, new: 0s 10s 20s
by the wall clock, new for 2 s, more than its capacity: true
by the wall clock, new, more than its capacity: false' "$("$tmp/rested")"

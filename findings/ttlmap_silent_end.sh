#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-mailgun-ttlmap-dev 0.0~git20170619 (Debian 12), with Go 1.19.
# Expected: the callback of CallOnExpire() is called on the expiration of elements, says its comment.
# Really: it is called if somebody looks for the key with Get(). An element that has expired and is met by Set() or
#   Increment() of its key, or makes room for another key, is gone without a word: who waits for the end of A's lease is
#   told nothing when B has taken it over, neither then nor when A's element would be looked for.
# Seen: the lines at the end of this script; the clock is the package's own for tests. Control: B only looks.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-mailgun-ttlmap-dev '0.0~git20170619.*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/mailgun/timetools"
	"github.com/mailgun/ttlmap"
)

// Two leases of 10 s, and 20 s later something that meets what has expired.
func run(title string, meet func(leases *ttlmap.TtlMap)) {
	clock := &timetools.FreezedTime{CurrentTime: time.Date(2026, time.March, 5, 12, 0, 0, 0, time.UTC)}
	told := []string{}
	leases, err := ttlmap.NewConcurrent(2, ttlmap.Clock(clock), ttlmap.CallOnExpire(func(key string, owner interface{}) {
		told = append(told, fmt.Sprintf("%s of %v", key, owner))
	}))
	if err != nil {
		panic(err)
	}
	leases.Set("first", "A", 10)
	leases.Set("second", "A", 10)
	clock.CurrentTime = clock.CurrentTime.Add(20 * time.Second)
	meet(leases)
	for _, key := range []string{"first", "second", "third"} {
		leases.Get(key)
	}
	fmt.Printf("%s: told of the end of %s\n", title, strings.Join(told, ", "))
}

func main() {
	run("B takes a key that has expired", func(leases *ttlmap.TtlMap) { leases.Set("first", "B", 60) })
	run("B counts on a key that has expired", func(leases *ttlmap.TtlMap) { leases.Increment("first", 1, 60) })
	run("B takes a third key, for which one that has expired makes room", func(leases *ttlmap.TtlMap) { leases.Set("third", "B", 60) })
	run("control, B only looks", func(leases *ttlmap.TtlMap) { leases.Get("first") })
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'B takes a key that has expired: told of the end of second of A
B counts on a key that has expired: told of the end of second of A
B takes a third key, for which one that has expired makes room: told of the end of second of A
control, B only looks: told of the end of first of A, second of A' "$("$tmp/program")"

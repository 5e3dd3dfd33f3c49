#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-karrick-goswarm-dev 1.4.7 (Debian 12), with Go 1.19.
# Expected: GC() deletes the keys whose values have expired, says its comment; it may run at any time.
# Really: it notes who has expired, waits for the answer of each key, for GCTimeout at most, and deletes the noted ones
#   without another look. A key whose first lookup is still under way gives no answer, so that it waits for the whole
#   time, ten seconds if nothing else is said. Who renews an expired key in that time has it deleted afterwards.
# Seen: the lines at the end of this script. Control: no lookup is under way.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-karrick-goswarm-dev '1.4.7-*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/karrick/goswarm"
)

func run(title string, underWay bool) {
	end := make(chan bool)
	leases, err := goswarm.NewSimple(&goswarm.Config{
		GoodExpiryDuration: time.Hour,
		GCTimeout:          time.Second,
		Lookup: func(key string) (interface{}, error) {
			<-end
			return "B", nil
		},
	})
	if err != nil {
		panic(err)
	}
	past := time.Now().Add(-time.Minute)
	leases.Store("lease", goswarm.TimedValue{Value: "A", Expiry: past.Add(time.Second)})
	if underWay {
		go leases.Query("other")
		time.Sleep(100 * time.Millisecond)
	}
	swept := make(chan bool)
	began := time.Now()
	go func() {
		leases.GC()
		close(swept)
	}()
	time.Sleep(300 * time.Millisecond)
	leases.Store("lease", "A again")
	<-swept
	value, found := leases.Load("lease")
	took := "at once"
	if time.Since(began) > 900*time.Millisecond {
		took = "1 s"
	}
	fmt.Printf("%s: GC took %s, the lease of an hour that was renewed 0.3 s after its start: %v %v\n", title, took, value, found)
	close(end)
}

func main() {
	run("a lookup of another key is under way", true)
	run("control, none is under way", false)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'a lookup of another key is under way: GC took 1 s, the lease of an hour that was renewed 0.3 s after its start: <nil> false
control, none is under way: GC took at once, the lease of an hour that was renewed 0.3 s after its start: A again true' "$("$tmp/program")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-mxk-go-flowrate-dev 0.0~git20140419 (Debian 12), Go 1.19.
# Expected: Limit() gives what "may be transferred immediately without exceeding the limit", and a Monitor is guarded
#   for many goroutines: readers that share one transfer 10,000 bytes in 1 s together.
# Really: what it gives is not reserved: it is noted when it has been transferred. Each reader that asks meanwhile is
#   given the whole rest: ten readers with a source of 50 ms transfer ten times the limit.
# Seen: the lines at the end of this script. Control: one reader.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-mxk-go-flowrate-dev '0.0~git20140419.*'
debian golang-go '2:1.19*'

cat >"$tmp/shared.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mxk/go-flowrate/flowrate"
)

func run(readers int) float64 {
	monitor := flowrate.New(0, 0)
	var bytes int64
	var group sync.WaitGroup
	begin := time.Now()
	for i := 0; i < readers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for time.Since(begin) < 2*time.Second {
				n := monitor.Limit(100000, 10000, true)
				time.Sleep(50 * time.Millisecond)
				monitor.Update(n)
				atomic.AddInt64(&bytes, int64(n))
			}
		}()
	}
	group.Wait()
	return float64(bytes) / time.Since(begin).Seconds() / 10000
}

func main() {
	switch many := run(10); {
	case many > 5:
		fmt.Println("ten readers: more than five times the limit")
	default:
		fmt.Printf("ten readers: %.1f times the limit\n", many)
	}
	switch one := run(1); {
	case one < 1.5:
		fmt.Println("control, one reader: not above the limit")
	default:
		fmt.Printf("control, one reader: %.1f times the limit\n", one)
	}
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'ten readers: more than five times the limit
control, one reader: not above the limit' "$(go run "$tmp/shared.go")"

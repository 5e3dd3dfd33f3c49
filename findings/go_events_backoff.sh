#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-docker-go-events-dev 0.0~git20190806 (Debian 12), with Go 1.19.
# Expected: ExponentialBackoff waits for a random time below a bound that grows with each failure up to Max, and stays
#   there. Only a success sets it back.
# Really: the bound is Base and Factor times two to the number of failures, in 64 bits. From the 56th failure in a row on
#   the product is 0 and the bound is Base again: with the package's own settings a service that is down for ten minutes
#   is asked twenty times as often as before, by each client.
# Seen: the lines at the end of this script, the largest of 2000 waits. Controls: 1, 20 and 55 failures.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-docker-go-events-dev '0.0~git20190806.*'
debian golang-go '2:1.19~*'

cat >"$tmp/backoff.go" <<'PROGRAM'
package main

import (
	"errors"
	"fmt"
	"time"

	events "github.com/docker/go-events"
)

// The largest wait of many, after so many failures in a row.
func after(failures int) string {
	strategy := events.NewExponentialBackoff(events.DefaultExponentialBackoffConfig)
	for i := 0; i < failures; i++ {
		strategy.Failure("event", errors.New("down"))
	}
	var most time.Duration
	for i := 0; i < 2000; i++ {
		if wait := strategy.Proceed("event"); wait > most {
			most = wait
		}
	}
	for _, bound := range []time.Duration{time.Second, 3 * time.Second, 9 * time.Second} {
		if most < bound {
			return fmt.Sprintf("below %v", bound)
		}
	}
	return "beyond 9s"
}

func main() {
	config := events.DefaultExponentialBackoffConfig
	fmt.Printf("Base %v, Max %v\n", config.Base, config.Max)
	fmt.Println("control, 1 failure:", after(1))
	fmt.Println("control, 20 failures:", after(20))
	fmt.Println("control, 55 failures:", after(55))
	fmt.Println("56 failures:", after(56))
	fmt.Println("1000 failures:", after(1000))
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/backoff" "$tmp/backoff.go"
as_stated 'Base 1s, Max 20s
control, 1 failure: below 3s
control, 20 failures: beyond 9s
control, 55 failures: beyond 9s
56 failures: below 1s
1000 failures: below 1s' "$("$tmp/backoff")"

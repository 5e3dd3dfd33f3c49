#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-dylanmei-iso8601-dev 0.1.0 (Debian 12; ParseDuration), with Go 1.19.
# Expected: ISO 8601 allows a fraction in the least part of a duration: PT0.5S is half a second. What the package cannot read
#   is ErrBadFormat.
# Really: the pattern may end anywhere. What stands behind the last part that it knows is left out, without an error:
#   a time-out of PT0.5S is none, PT1.5S is none, and P1DT1.5H is a day.
# Seen: the lines at the end of this script. Controls: durations without a fraction; a text that is no duration.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-dylanmei-iso8601-dev '0.1.0-*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"

	"github.com/dylanmei/iso8601"
)

func main() {
	texts := []string{
		"PT0.5S", "PT1.5S", "PT1M30.25S", "PT1,5H", "P0.5D", "P1DT1.5H",
		"PT90S", "PT1M30S", "P1D", "ninety seconds",
	}
	for _, text := range texts {
		if duration, err := iso8601.ParseDuration(text); err != nil {
			fmt.Printf("%s: %s\n", text, err)
		} else {
			fmt.Printf("%s: %s\n", text, duration)
		}
	}
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'PT0.5S: 0s
PT1.5S: 0s
PT1M30.25S: 1m0s
PT1,5H: 0s
P0.5D: 0s
P1DT1.5H: 24h0m0s
PT90S: 1m30s
PT1M30S: 1m30s
P1D: 24h0m0s
ninety seconds: bad format string' "$("$tmp/program")"

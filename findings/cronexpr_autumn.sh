#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-gorhill-cronexpr-dev 1.0.0+git20180427 (Debian 12), Go 1.19.
# Expected: a job of each minute is due 1500 times on the day of 25 hours on which summer time ends.
# Really: the hour that comes twice counts once: between 01:59 and 02:00 nothing is due for an hour, and a
#   renewal or a look of each minute is not made.
# Seen: the lines at the end of this script, for the zone of New York in 2023. Controls: the day before; a zone without
#   a summer time; a daily job in the hour that is left out in spring, which is due once.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-gorhill-cronexpr-dev '1.0.0+git20180427*'
debian golang-go '2:1.19*'
debian tzdata '202*'

cat >"$tmp/autumn.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/gorhill/cronexpr"
)

func day(title, zone, schedule string, year int, month time.Month, number int) {
	place, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	begin := time.Date(year, month, number, 0, 0, 0, 0, place)
	end := time.Date(year, month, number+1, 0, 0, 0, 0, place)
	expression := cronexpr.MustParse(schedule)
	count := 0
	longest := time.Duration(0)
	last := begin.Add(-time.Second)
	for at := expression.Next(last); !at.IsZero() && at.Before(end) && at.After(last) && count < 3000; at = expression.Next(at) {
		if count > 0 && at.Sub(last) > longest {
			longest = at.Sub(last)
		}
		last = at
		count++
	}
	fmt.Printf("%s, %q, a day of %v: due %d times, the longest pause is %v\n", title, schedule, end.Sub(begin), count, longest)
}

func main() {
	day("New York, autumn", "America/New_York", "* * * * *", 2023, 11, 5)
	day("New York, autumn", "America/New_York", "0 * * * *", 2023, 11, 5)
	day("control, New York, spring", "America/New_York", "30 2 * * *", 2023, 3, 12)
	day("control, the day before", "America/New_York", "* * * * *", 2023, 11, 4)
	day("control, Tokyo", "Asia/Tokyo", "0 * * * *", 2023, 11, 5)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'New York, autumn, "* * * * *", a day of 25h0m0s: due 1440 times, the longest pause is 1h1m0s
New York, autumn, "0 * * * *", a day of 25h0m0s: due 24 times, the longest pause is 2h0m0s
control, New York, spring, "30 2 * * *", a day of 23h0m0s: due 1 times, the longest pause is 0s
control, the day before, "* * * * *", a day of 24h0m0s: due 1440 times, the longest pause is 1m0s
control, Tokyo, "0 * * * *", a day of 24h0m0s: due 24 times, the longest pause is 1h0m0s' "$(go run "$tmp/autumn.go")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-robfig-cron-dev 3.0.1 (Debian 12), Go 1.19.
# Expected: the documentation says that jobs scheduled during the hour that is left out when summer time begins are not
#   run. A job of each day at noon, or at 3, is far from that and runs on the day of the change as on any other.
# Really: the search for the hour goes on in steps of an hour of 60 minutes. Where the clock moves by half an hour each
#   step after the change ends at half past. In the right hour the minute 0 is then over, the search passes the hour,
#   and the day: a daily job on the hour after the change does not run on that day. The pause is 48 h.
# Seen: the lines at the end of this script, for Lord Howe, whose summer time is half an hour, and for Caracas and
#   Pyongyang, which once changed their zone by half an hour. Controls: Sydney on the same day; a job at half past.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-robfig-cron-dev '3.0.1-*'
debian golang-go '2:1.19*'
debian tzdata '202*'

cat >"$tmp/half.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/robfig/cron"
)

func run(title, zone, expression string, year int, month time.Month, day int) {
	place, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	schedule, err := cron.ParseStandard(expression)
	if err != nil {
		panic(err)
	}
	at := time.Date(year, month, day-1, 0, 0, 0, 0, place)
	fmt.Printf("%s, %q:", title, expression)
	for number := 0; number < 2; number++ {
		at = schedule.Next(at)
		fmt.Printf(" %s", at.Format("Jan 2 15:04 -0700"))
		if number == 0 {
			fmt.Print(", then")
		}
	}
	fmt.Println()
}

func main() {
	run("Lord Howe, spring", "Australia/Lord_Howe", "0 12 * * *", 2023, 10, 1)
	run("Lord Howe, spring", "Australia/Lord_Howe", "0 3 * * *", 2023, 10, 1)
	run("Lord Howe, autumn", "Australia/Lord_Howe", "0 3 * * *", 2023, 4, 2)
	run("Caracas", "America/Caracas", "0 12 * * *", 2016, 5, 1)
	run("Pyongyang", "Asia/Pyongyang", "0 12 * * *", 2015, 8, 15)
	run("control, Lord Howe, spring", "Australia/Lord_Howe", "30 12 * * *", 2023, 10, 1)
	run("control, Sydney, spring", "Australia/Sydney", "0 12 * * *", 2023, 10, 1)
	run("control, Sydney, spring", "Australia/Sydney", "0 3 * * *", 2023, 10, 1)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
as_stated 'Lord Howe, spring, "0 12 * * *": Sep 30 12:00 +1030, then Oct 2 12:00 +1100
Lord Howe, spring, "0 3 * * *": Sep 30 03:00 +1030, then Oct 2 03:00 +1100
Lord Howe, autumn, "0 3 * * *": Apr 1 03:00 +1100, then Apr 3 03:00 +1030
Caracas, "0 12 * * *": Apr 30 12:00 -0430, then May 2 12:00 -0400
Pyongyang, "0 12 * * *": Aug 14 12:00 +0900, then Aug 16 12:00 +0830
control, Lord Howe, spring, "30 12 * * *": Sep 30 12:30 +1030, then Oct 1 12:30 +1100
control, Sydney, spring, "0 12 * * *": Sep 30 12:00 +1000, then Oct 1 12:00 +1100
control, Sydney, spring, "0 3 * * *": Sep 30 03:00 +1000, then Oct 1 03:00 +1100' "$(go run "$tmp/half.go")"

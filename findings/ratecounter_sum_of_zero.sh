#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-paulbellamy-ratecounter-dev 0.2.0+git20170719 (Debian 12; AvgRateCounter), with Go 1.19.
# Expected: the average is that of the values of the last interval. After a rest of three intervals the first new value is
#   the average.
# Really: the clock that takes old values out stops when their sum is 0, also if it is a sum of 6 and -6. Both stay where
#   they are for as long as nothing comes. The next value starts the clock again, and they are taken out of a sum that
#   holds them no more: the average of one value of 10 is 10, then 4, then 10.
# Seen: the lines at the end of this script. Controls: values whose sum is not 0.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-paulbellamy-ratecounter-dev '0.2.0+*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/paulbellamy/ratecounter"
)

// An interval of 18 s in three parts. Two values in it, a rest of three intervals, and then a value of 10.
func run(title string, first, second int64) string {
	counter := ratecounter.NewAvgRateCounter(18 * time.Second).WithResolution(3)
	counter.Incr(first)
	time.Sleep(9 * time.Second)
	counter.Incr(second)
	time.Sleep(54 * time.Second)
	rested := counter.Hits()
	counter.Incr(10)
	line := fmt.Sprintf("%s: after the rest hits %d, then 10: average", title, rested)
	for part := 0; part < 3; part++ {
		time.Sleep(3 * time.Second)
		line += fmt.Sprintf(" %v", counter.Rate())
		time.Sleep(3 * time.Second)
	}
	return line
}

// All cases at the same time.
func main() {
	var lines []chan string
	for _, one := range [][2]int64{{6, -6}, {-8, 8}, {6, -5}, {6, 6}} {
		one, line := one, make(chan string, 1)
		title := fmt.Sprintf("%d and %d", one[0], one[1])
		go func() { line <- run(title, one[0], one[1]) }()
		lines = append(lines, line)
	}
	for _, line := range lines {
		fmt.Println(<-line)
	}
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated '6 and -6: after the rest hits 0, then 10: average 10 4 10
-8 and 8: after the rest hits 0, then 10: average 10 18 10
6 and -5: after the rest hits 0, then 10: average 10 10 10
6 and 6: after the rest hits 0, then 10: average 10 10 10' "$("$tmp/program")"

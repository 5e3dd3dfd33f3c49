#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-odeke-em-cache-dev 0.0~git20151107 (Debian 12), with Go 1.19.
# Expected: Get() of a key whose value has expired removes that value. A value that was put there since stays.
# Really: Get() reads the value, lets go of the lock, asks whether it has expired, and then removes what is under the key
#   by now. A new lease that comes in between is taken away with the old one, and the caller is given the new one as a
#   value that has expired.
# Seen: the lines at the end of this script. The order is certain: the old lease is renewed while it is asked whether it
#   has expired, which is a call of the program. Control: it is renewed before the question.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-odeke-em-cache-dev '0.0~git20151107.*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	expirable "github.com/odeke-em/cache"
)

type lease struct {
	owner   string
	over    bool
	looking func()
}

func (l *lease) Expired(time.Time) bool {
	if l.looking != nil {
		l.looking()
	}
	return l.over
}

func (l *lease) Value() interface{} { return l.owner }

func owner(value expirable.Expirable, found bool) string {
	if value == nil {
		return fmt.Sprintf("nobody, %v", found)
	}
	return fmt.Sprintf("%v, %v", value.Value(), found)
}

func run(title string, within bool) {
	leases := expirable.New()
	renew := func() { leases.Put("door", &lease{owner: "B"}) }
	old := &lease{owner: "A", over: true}
	if within {
		old.looking = renew
	}
	leases.Put("door", old)
	if !within {
		renew()
	}
	first := owner(leases.Get("door"))
	fmt.Printf("%s: Get says %s, once more %s\n", title, first, owner(leases.Get("door")))
}

func main() {
	run("B takes over while A's end is looked at", true)
	run("control, B takes over before", false)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'B takes over while A'\''s end is looked at: Get says B, false, once more nobody, false
control, B takes over before: Get says B, true, once more B, true' "$("$tmp/program")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-remeh-sizedwaitgroup-dev 2018-08-22 (Debian 12), with Go 1.19.
# Expected: the package says that AddWithContext() returns an error if the context is canceled before the lock is
#   acquired.
# Really: with a free place it is a matter of chance. One `select` looks at the context and at the place, and takes
#   either: of a thousand calls with a context that was cancelled before, hundreds take a place and are told nil. The
#   work of a request that was given up begins all the same.
# Seen: the lines at the end of this script. Controls: no place is free; the context is not cancelled.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-remeh-sizedwaitgroup-dev '0.0~git20180822.*'
debian golang-go '2:1.19~*'

cat >"$tmp/cancelled.go" <<'PROGRAM'
package main

import (
	"context"
	"fmt"

	"github.com/remeh/sizedwaitgroup"
)

// How many of a thousand calls are let in, each with nobody before it or beside a holder of the only place.
func run(title string, cancelled, full bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if cancelled {
		cancel()
	}
	group := sizedwaitgroup.New(1)
	if full {
		group.Add()
	}
	in := 0
	for call := 0; call < 1000; call++ {
		if group.AddWithContext(ctx) == nil {
			in++
			group.Done()
		}
	}
	words := "some"
	if in == 0 {
		words = "none"
	} else if in == 1000 {
		words = "all"
	}
	fmt.Printf("%s: %s of 1000 are let in\n", title, words)
}

func main() {
	run("a cancelled context, a free place", true, false)
	run("control: a cancelled context, no free place", true, true)
	run("control: a context that is not cancelled, a free place", false, false)
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/cancelled" "$tmp/cancelled.go"
as_stated 'a cancelled context, a free place: some of 1000 are let in
control: a cancelled context, no free place: none of 1000 are let in
control: a context that is not cancelled, a free place: all of 1000 are let in' "$("$tmp/cancelled")"

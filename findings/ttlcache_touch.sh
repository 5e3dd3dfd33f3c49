#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: golang-github-renekroon-ttlcache-dev 2.11.1 (Debian 12), with Go 1.19.
# Expected: "Touch resets the TTL of the key". The other keys expire at their own times, and their callback says so.
# Really: Touch() writes the new end into the key and leaves it at its place in the queue, which is then in no order. While
#   the first one is touched again and again nobody looks behind it: a lease of 7 s beside a touched one of 6 s is
#   counted, and its end told to nobody, for as long as the other one is renewed.
# Seen: the lines at the end of this script. Controls: the lease is renewed by Get(), which moves it; not at all.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-github-renekroon-ttlcache-dev '2.11.1+*'
debian golang-go '2:1.19~*'

cat >"$tmp/program.go" <<'PROGRAM'
package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/ReneKroon/ttlcache"
)

// A lease of 6 s and one of 7 s; the first one is renewed in each second, in one of two ways, or not at all.
func run(title string, renew func(cache *ttlcache.Cache)) string {
	var lock sync.Mutex
	told := "nobody is told"
	cache := ttlcache.NewCache()
	defer cache.Close()
	began := time.Now()
	cache.SetExpirationCallback(func(key string, value interface{}) {
		lock.Lock()
		defer lock.Unlock()
		if key == "other" && time.Since(began) < 13*time.Second {
			told = "the end is told in time"
		}
	})
	cache.SetWithTTL("renewed", 1, 6*time.Second)
	cache.SetWithTTL("other", 2, 7*time.Second)
	for second := 1; second <= 16; second++ {
		time.Sleep(time.Second)
		renew(cache)
	}
	lock.Lock()
	defer lock.Unlock()
	return fmt.Sprintf("%s: of the lease of 7 s %s; after 16 s %d are counted", title, told, cache.Count())
}

// All cases at the same time.
func main() {
	var lines []chan string
	for _, one := range []struct {
		title string
		renew func(cache *ttlcache.Cache)
	}{
		{"renewed by Touch()", func(cache *ttlcache.Cache) { cache.Touch("renewed") }},
		{"control, renewed by Get()", func(cache *ttlcache.Cache) { cache.Get("renewed") }},
		{"control, not renewed", func(cache *ttlcache.Cache) {}},
	} {
		one, line := one, make(chan string, 1)
		go func() { line <- run(one.title, one.renew) }()
		lines = append(lines, line)
	}
	for _, line := range lines {
		fmt.Println(<-line)
	}
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/program" "$tmp/program.go"
as_stated 'renewed by Touch(): of the lease of 7 s nobody is told; after 16 s 2 are counted
control, renewed by Get(): of the lease of 7 s the end is told in time; after 16 s 1 are counted
control, not renewed: of the lease of 7 s the end is told in time; after 16 s 0 are counted' "$("$tmp/program")"

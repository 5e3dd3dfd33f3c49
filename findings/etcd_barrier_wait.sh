#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: golang-etcd-server-dev, etcd-server and etcd-client 3.4.23 (Debian 12; contrib/recipes), with Go 1.19.
# Expected: the recipe says that Hold() creates the barrier key and makes Wait() block, and that Release() deletes the
#   key and unblocks all waiting processes.
# Really: Wait() watches from the newest revision of the whole server on and wants to see two events, that the key is
#   put and that it is deleted. If anybody has written anything since Hold(), the first one is over and never comes:
#   Release() unblocks nobody. It takes a second Hold() and Release(). With one client and an empty server it works.
# Seen: the lines at the end of this script. Controls: nobody writes in between; somebody writes after Wait() has begun;
#   the barrier is open.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian golang-etcd-server-dev '3.4.23-*'
debian golang-go '2:1.19~*'
start_etcd

cat >"$tmp/barrier.go" <<'PROGRAM'
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.etcd.io/etcd/clientv3"
	recipe "go.etcd.io/etcd/contrib/recipes"
)

var client *clientv3.Client

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func write() {
	_, err := client.Put(context.Background(), "something-else", "")
	check(err)
}

func show(what string, passed chan error) bool {
	select {
	case err := <-passed:
		check(err)
		fmt.Println(what+":", "the waiter passes")
		return true
	case <-time.After(time.Second):
		fmt.Println(what+":", "the waiter waits")
		return false
	}
}

func run(title, key string, before, after func()) {
	fmt.Println(title)
	barrier := recipe.NewBarrier(client, key)
	check(barrier.Hold())
	before()
	passed := make(chan error)
	go func() { passed <- recipe.NewBarrier(client, key).Wait() }()
	show("the barrier is held", passed)
	after()
	check(barrier.Release())
	if !show("it is released", passed) {
		check(barrier.Hold())
		check(barrier.Release())
		show("it is held and released again", passed)
	}
}

func main() {
	var err error
	client, err = clientv3.New(clientv3.Config{Endpoints: []string{os.Args[1]}})
	check(err)
	nothing := func() {}
	run("somebody writes another key between Hold and Wait", "a", write, nothing)
	run("control: nobody writes", "b", nothing, nothing)
	run("control: somebody writes between Wait and Release", "c", nothing, write)
	check(recipe.NewBarrier(client, "d").Wait())
	fmt.Println("control: nobody holds the barrier: the waiter passes")
}
PROGRAM

export HOME=$tmp GOCACHE=$tmp/cache GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS=
/usr/bin/go build -o "$tmp/barrier" "$tmp/barrier.go"
as_stated 'somebody writes another key between Hold and Wait
the barrier is held: the waiter waits
it is released: the waiter waits
it is held and released again: the waiter passes
control: nobody writes
the barrier is held: the waiter waits
it is released: the waiter passes
control: somebody writes between Wait and Release
the barrier is held: the waiter waits
it is released: the waiter passes
control: nobody holds the barrier: the waiter passes' "$("$tmp/barrier" "$ETCDCTL_ENDPOINTS")"

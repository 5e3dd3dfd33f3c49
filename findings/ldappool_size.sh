#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-ldappool 3.0.0, with slapd 2.5 as the server (Debian 12).
# Expected: a connection manager with size=2 lends two connections at a time. Its own table calls it "Slot (2 max)", and
#   who finds all of them in use gets MaxConnectionReachedError.
# Really: it looks at the size before it connects and counts the connection after that. All who ask while nobody
#   is connected yet get one each (mozilla-services/ldappool#10). That is no matter of a moment: the pool keeps them, and
#   who finds a connection that is not in use is never asked about the size. After one busy moment at the start a
#   pool of 2 lends 6 at a time, for as long as they live.
# Seen: the lines at the end of this script. Control: the same calls after two connections were made one by one.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian slapd '2.5.*'
debian python3-ldappool '3.0.0-*'

address=$(loopback)
mkdir "$tmp/data"
cat >"$tmp/slapd.conf" <<CONFIGURATION
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
suffix dc=example
rootdn cn=boss,dc=example
rootpw example
directory $tmp/data
CONFIGURATION

cat >"$tmp/size.py" <<'PROGRAM'
import contextlib
import sys
import threading

import ldappool

CALLERS = 6
BOSS = "cn=boss,dc=example"


class Together(ldappool.StateConnector):
    """A connector whose bind waits for the others of its moment. The server answers each of them."""
    others = threading.Barrier(1)

    def simple_bind_s(self, *arguments, **options):
        self.others.wait(10)
        return super().simple_bind_s(*arguments, **options)


def served(connection):
    return connection.whoami_s() == "dn:" + BOSS


def at_once(pool):
    """How many of the callers have a connection at the same time, each in its own thread."""
    granted, all_asked, lock = [], threading.Barrier(CALLERS), threading.Lock()

    def call():
        try:
            with pool.connection() as connection:
                with lock:
                    granted.append(served(connection))
                all_asked.wait(20)
        except ldappool.MaxConnectionReachedError:
            all_asked.wait(20)

    threads = [threading.Thread(target=call) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(granted)


def one_by_one(pool):
    """How many connections one caller can hold."""
    with contextlib.ExitStack() as stack:
        for number in range(CALLERS):
            try:
                assert served(stack.enter_context(pool.connection()))
            except ldappool.MaxConnectionReachedError:
                return number
    return CALLERS


def new_pool():
    return ldappool.ConnectionManager(sys.argv[1], BOSS, "example", size=2, connector_cls=Together)


pool = new_pool()
Together.others = threading.Barrier(CALLERS)
print(f"6 ask at once: {at_once(pool)} have one at a time, the pool keeps {len(pool)}")
Together.others = threading.Barrier(1)
print(f"later one caller takes one by one: {one_by_one(pool)}; 6 ask at once: {at_once(pool)}")
pool = new_pool()
print(f"control, two were made before: one by one {one_by_one(pool)}, 6 at once {at_once(pool)}, it keeps {len(pool)}")
PROGRAM

background slapd -f "$tmp/slapd.conf" -h "ldap://$address:3890" -d 0 2>"$tmp/log"
patiently bash -c ": </dev/tcp/$address/3890"
as_stated '6 ask at once: 6 have one at a time, the pool keeps 6
later one caller takes one by one: 6; 6 ask at once: 6
control, two were made before: one by one 2, 6 at once 2, it keeps 2' \
    "$(timeout 40 /usr/bin/python3 "$tmp/size.py" "ldap://$address:3890" 2>&1)"

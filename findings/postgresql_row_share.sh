#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: postgresql-15 15.18 or later and python3-psycopg2 2.9 (Debian 12).
# Expected: the manual's table of row locks says which modes conflict, nothing of order. Advisory locks of the
#   same server keep one queue: once somebody waits for the exclusive lock, a newcomer's shared request
#   waits behind it. So row locks will do the same.
# Really: FOR SHARE of a row joins the readers and passes the waiting FOR UPDATE: nothing that it wants is
#   in its way, so it asks no queue. Readers that take turns keep a writer out for ever: it still waits
#   when every reader whom it found has left.
# Seen: the lines at the end of this script. Control: the same by an advisory lock.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-psycopg2 '2.9.*'
start_postgresql

cat >"$tmp/readers.py" <<'PROGRAM'
import sys
import threading
import time

import psycopg2


def connect():
    return psycopg2.connect(host=sys.argv[1], user="tester", dbname="postgres")


def say(connection, statement):
    cursor = connection.cursor()
    try:
        cursor.execute("SET lock_timeout = 1000")
        cursor.execute(statement)
        return "granted"
    except psycopg2.errors.LockNotAvailable:
        connection.rollback()
        return "waits"


class Writer:
    def __init__(self, statement):
        self.connection = connect()
        self.done = threading.Event()
        threading.Thread(target=self._ask, args=[statement], daemon=True).start()

    def _ask(self, statement):
        self.connection.cursor().execute(statement)
        self.done.set()

    def look(self, patience):
        return "granted" if self.done.wait(patience) else "waits"


def run(title, shared, exclusive):
    print(title)
    readers = [connect() for _ in range(3)]
    print("reader 1:", say(readers[0], shared))
    writer = Writer(exclusive)
    print("writer:", writer.look(1))
    for number in (2, 3):
        print(f"reader {number}:", say(readers[number - 1], shared))
        readers[number - 2].rollback()
        print(f"reader {number - 1} has left, writer:", writer.look(1))
    readers[2].rollback()
    print("reader 3 has left, writer:", writer.look(10))


setup = connect()
setup.cursor().execute("CREATE TABLE account (id int PRIMARY KEY); INSERT INTO account VALUES (1)")
setup.commit()
row = "SELECT id FROM account WHERE id = 1 FOR "
run("row", row + "SHARE", row + "UPDATE")
run("control: advisory", "SELECT pg_advisory_xact_lock_shared(1)", "SELECT pg_advisory_xact_lock(1)")
PROGRAM

as_stated 'row
reader 1: granted
writer: waits
reader 2: granted
reader 1 has left, writer: waits
reader 3: granted
reader 2 has left, writer: waits
reader 3 has left, writer: granted
control: advisory
reader 1: granted
writer: waits
reader 2: waits
reader 1 has left, writer: granted
reader 3: waits
reader 2 has left, writer: granted
reader 3 has left, writer: granted' "$(/usr/bin/python3 "$tmp/readers.py" "$tmp")"

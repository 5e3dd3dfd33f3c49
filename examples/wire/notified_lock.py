# SPDX-License-Identifier: Apache-2.0
"""An advisory lock of PostgreSQL whose waiters are woken by LISTEN and NOTIFY, by psycopg2.

    right    listens first
    late     broken: listens after it has tried, and misses a notification that came before
"""

import select
import sys
import zlib

import psycopg2
from lockkeeper_wire import serve


class NotifiedLock:
    def __init__(self, key):
        self.number = zlib.crc32(key.encode()) >> 1
        self.connection = psycopg2.connect("")
        self.connection.autocommit = True
        self.listens = False

    def ask(self, sql):
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone()[0] if cursor.description else None

    def listen(self):
        if not self.listens:
            self.ask("LISTEN free")
        self.listens = True

    def acquire(self):
        if sys.argv[1] != "late":
            self.listen()
        while not self.ask(f"SELECT pg_try_advisory_lock({self.number})"):
            self.listen()
            while not self.connection.notifies:
                select.select([self.connection], [], [])
                self.connection.poll()
            self.connection.notifies.clear()
        return True

    def release(self):
        self.ask(f"SELECT pg_advisory_unlock({self.number})")
        self.ask("NOTIFY free")


def setup(key):
    lock = NotifiedLock(key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)

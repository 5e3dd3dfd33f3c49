# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL's advisory locks of sessions with a lock_timeout of two seconds, and one that is a row
of a table: argv[1] says which.

    right    who waits for too long is refused
    wrong    and believes to hold, because it takes every error for one that comes later
    cross    takes two locks in an order of its own: the server's deadlock_timeout ends that, and
             who is refused gives back what it has
    keeps    the same, but who is refused keeps it
    row      a row that nobody deletes but the holder
    steals   who finds it held ends the holder's session
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../examples/wire"))

import psycopg2
from lockkeeper_wire import serve

KIND = sys.argv[1]


class Lock:
    def __init__(self):
        self.connection = None

    def ask(self, sql):
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            row = cursor.fetchone() if cursor.description else None
            return row and row[0]

    def acquire(self):
        self.connection = psycopg2.connect("")
        self.connection.autocommit = True
        if KIND == "row":
            self.ask("CREATE TABLE IF NOT EXISTS locks (name text PRIMARY KEY)")
            return self.ask("INSERT INTO locks VALUES ('db') ON CONFLICT DO NOTHING RETURNING true") or False
        numbers = [1, 2] if KIND in ("cross", "keeps") else [1]
        if os.environ["LOCKKEEPER_CALLER"] == "1":
            numbers.reverse()
        if len(numbers) == 1:
            self.ask("SET lock_timeout = '2s'")
        try:
            while KIND == "steals" and not self.ask("SELECT pg_try_advisory_lock(1)"):
                self.ask("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
            for number in numbers if KIND != "steals" else []:
                self.ask(f"SELECT pg_advisory_lock({number})")
        except psycopg2.errors.LockNotAvailable:
            return KIND == "wrong"
        except psycopg2.errors.DeadlockDetected:
            if KIND == "cross":
                self.release()
            return False
        return True

    def release(self):
        if KIND == "row":
            return self.ask("DELETE FROM locks RETURNING true") or False
        self.ask("SELECT pg_advisory_unlock_all()")


def setup(_key):
    lock = Lock()
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)

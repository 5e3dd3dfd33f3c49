# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL's advisory locks, by psycopg2: argv[1] says how they are used.

    session    one connection for each lock, kept while it is held
    waits      the same, and whoever finds it held waits at the server
    pooled     broken: the connection that has locked goes back to its pool, and another one unlocks
    transaction
               a lock of the transaction, which is open as long as the lock is held
"""

import sys
import zlib

import psycopg2
import psycopg2.pool
from lockkeeper_wire import serve


class SessionLock:
    FUNCTION = "pg_try_advisory_lock"

    def __init__(self, key):
        self.number = zlib.crc32(key.encode()) >> 1
        self.connection = None

    def ask(self, connection, function):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}({self.number})")
            return cursor.fetchone()[0]

    def acquire(self):
        if self.connection is None:
            self.connection = psycopg2.connect("")
            self.connection.autocommit = True
        return self.ask(self.connection, self.FUNCTION) is not False

    def release(self):
        return self.ask(self.connection, "pg_advisory_unlock")


class WaitingLock(SessionLock):
    FUNCTION = "pg_advisory_lock"


class TransactionLock(SessionLock):
    def acquire(self):
        if self.connection is None:
            self.connection = psycopg2.connect("")
        if self.ask(self.connection, "pg_try_advisory_xact_lock"):
            return True
        self.connection.rollback()
        return False

    def release(self):
        self.connection.commit()


class PooledLock(SessionLock):
    def __init__(self, key):
        super().__init__(key)
        self.pool = None
        self.work = None

    def take(self):
        connection = self.pool.getconn()
        connection.autocommit = True
        return connection

    def acquire(self):
        if self.pool is None:
            self.pool = psycopg2.pool.SimpleConnectionPool(0, 2, "")
        connection = self.take()
        granted = self.ask(connection, self.FUNCTION)
        self.pool.putconn(connection)
        if granted:
            self.work = self.take()  # what the lock protects is done with a connection, too
        return granted

    def release(self):
        connection = self.take()
        self.ask(connection, "pg_advisory_unlock")
        self.pool.putconn(connection)
        self.pool.putconn(self.work)


LOCKS = {"session": SessionLock, "waits": WaitingLock, "pooled": PooledLock,
         "transaction": TransactionLock}


def setup(key):
    lock = LOCKS[sys.argv[1]](key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)

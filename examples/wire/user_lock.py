# SPDX-License-Identifier: Apache-2.0
"""MariaDB's locks, by PyMySQL: argv[1] says how they are used.

    user       GET_LOCK on one connection for each lock, kept while it is held
    waits      the same, and whoever finds it held waits at the server, a minute at most
    pooled     broken: the connection that has locked is given back, and another one unlocks
    row        a row of a table that a transaction has locked; whoever finds it locked is refused
    committed  broken: the row is read by a transaction that ends before the work begins
"""

import os
import sys

import pymysql
from lockkeeper_wire import serve

KIND = sys.argv[1]
BUSY = 1205  # also what NOWAIT says


def connect():
    return pymysql.connect(host=os.environ["MYSQL_HOST"], port=int(os.environ["MYSQL_PORT"]),
                           user=os.environ["MYSQL_USER"], database=os.environ["MYSQL_DATABASE"])


def ask(connection, statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
        return row and row[0]


class KeptConnection:
    def __init__(self, key):
        self.key = key
        self.kept = None

    @property
    def connection(self):
        self.kept = self.kept or connect()
        return self.kept


class UserLock(KeptConnection):
    SECONDS = 60 if KIND == "waits" else 0

    def acquire(self):
        return ask(self.connection, "SELECT GET_LOCK(%s, %s)", self.key, self.SECONDS) == 1

    def release(self):
        return ask(self.connection, "SELECT RELEASE_LOCK(%s)", self.key) == 1


class PooledLock:
    def __init__(self, key):
        self.key = key
        self.pool = []

    def acquire(self):
        self.pool = self.pool or [connect(), connect()]
        granted = ask(self.pool[0], "SELECT GET_LOCK(%s, 0)", self.key) == 1
        self.pool.append(self.pool.pop(0))
        return granted

    def release(self):
        ask(self.pool[0], "SELECT RELEASE_LOCK(%s)", self.key)


class RowLock(KeptConnection):
    def acquire(self):
        self.connection.begin()
        try:
            ask(self.connection, "SELECT 1 FROM locks WHERE name = %s FOR UPDATE NOWAIT", self.key)
        except pymysql.err.OperationalError as error:
            if error.args[0] != BUSY:
                raise
            self.connection.rollback()
            return False
        if KIND == "committed":
            self.connection.commit()
        return True

    def release(self):
        self.connection.commit()


def prepare():
    connection = connect()
    ask(connection, "CREATE TABLE locks (name VARCHAR(20) PRIMARY KEY) ENGINE = InnoDB")
    ask(connection, "INSERT INTO locks VALUES ('db')")
    connection.commit()
    connection.close()


LOCKS = {"user": UserLock, "waits": UserLock, "pooled": PooledLock}


def setup(key):
    lock = LOCKS.get(KIND, RowLock)(key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup, None if KIND in LOCKS else prepare)

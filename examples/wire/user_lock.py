# SPDX-License-Identifier: Apache-2.0
"""MariaDB's locks, by PyMySQL: argv[1] says how they are used.

    user       GET_LOCK on one connection for each lock, kept while it is held
    waits      the same, and whoever finds it held waits at the server, a minute at most
    pooled     broken: the connection that has locked is given back, and another one unlocks
    row        a row of a table that a transaction has locked; whoever finds it locked is refused
    row_waits  the same, and whoever finds it locked waits at the server, as long as that lets him
    committed  broken: the row is read by a transaction that ends before the work begins
    rows       a row for each key of a call, every second caller in the other order; a deadlock's victim is refused
    goes_on    broken: the victim asks for the row again, as if it had the first one still
"""

import os
import sys

import pymysql
from lockkeeper_wire import serve

KIND = sys.argv[1]
BUSY = 1205  # also what NOWAIT says
DEADLOCK = 1213  # the transaction is gone, with all its rows


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


class RowsLock(KeptConnection):
    def __init__(self, keys):
        super().__init__(keys)
        self.rows = [keys] if isinstance(keys, str) else keys
        if KIND in ("rows", "goes_on") and int(os.environ["LOCKKEEPER_CALLER"]) % 2 == 1:
            self.rows = self.rows[::-1]

    def lock(self, row):
        ask(self.connection, "SELECT 1 FROM locks WHERE name = %s FOR UPDATE", row)

    def acquire(self):
        self.connection.begin()
        for row in self.rows:
            try:
                self.lock(row)
            except pymysql.err.OperationalError as error:
                if error.args[0] not in (BUSY, DEADLOCK):
                    raise
                if KIND != "goes_on" or error.args[0] == BUSY:
                    self.connection.rollback()
                    return False
                self.connection.begin()
                self.lock(row)
        return True

    def release(self):
        self.connection.commit()


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
    ask(connection, "INSERT INTO locks VALUES ('db'), ('left'), ('right')")
    connection.commit()
    connection.close()


LOCKS = {"user": UserLock, "waits": UserLock, "pooled": PooledLock, "row": RowLock, "committed": RowLock}


def setup(key):
    lock = LOCKS.get(KIND, RowsLock)(key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup, None if KIND in ("user", "waits", "pooled") else prepare)

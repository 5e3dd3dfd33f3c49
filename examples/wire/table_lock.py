# SPDX-License-Identifier: Apache-2.0
"""A lock that is a row in a table of its own schema, by psycopg2: argv[1] says who makes the table.

    itself      each acquire, where it is not there yet: the database is put back whole for each run
    prepared    the hook, once: only rows are put back
"""

import sys

import psycopg2
from lockkeeper_wire import serve

MAKE = (
    "CREATE SCHEMA IF NOT EXISTS locks",
    "CREATE TABLE IF NOT EXISTS locks.held (name text PRIMARY KEY)",
)


def connect():
    connection = psycopg2.connect("")
    connection.autocommit = True
    return connection


def prepare():
    connection = connect()
    with connection.cursor() as cursor:
        for statement in MAKE:
            cursor.execute(statement)
    connection.close()


class TableLock:
    def __init__(self, key):
        self.key = key
        self.connection = connect()

    def ask(self, sql, *values):
        with self.connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchone()[0] if cursor.description else cursor.rowcount

    def acquire(self):
        if sys.argv[1] == "itself":
            for statement in MAKE:
                self.ask(statement)
        return self.ask("INSERT INTO locks.held VALUES (%s) ON CONFLICT DO NOTHING", self.key) == 1

    def release(self):
        return self.ask("DELETE FROM locks.held WHERE name = %s", self.key) == 1


def setup(key):
    lock = TableLock(key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup, None if sys.argv[1] == "itself" else prepare)

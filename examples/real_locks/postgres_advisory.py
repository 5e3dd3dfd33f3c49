# SPDX-License-Identifier: Apache-2.0
"""Advisory locks of PostgreSQL, through psycopg2, with a private server.

postgres_advisory.py            each caller has a session of its own
postgres_advisory.py --pooled   all callers share one session, as behind a pool of connections
"""

import os
import signal
import subprocess
import sys

import private_server
from private_server import lockkeeper_client as client

try:
    import psycopg2
except ImportError:
    private_server.missing("python3-psycopg2")

SETTINGS = ("listen_addresses=", "fsync=off", "full_page_writes=off", "shared_buffers=1MB",
            "autovacuum=off", "wal_level=minimal", "max_wal_senders=0", "jit=off",
            "log_min_messages=panic")
directory, sessions = "", {}


def program(name):
    versions = "/usr/lib/postgresql"
    for version in sorted(os.listdir(versions), reverse=True) if os.path.isdir(versions) else []:
        if os.path.exists(os.path.join(versions, version, "bin", name)):
            return os.path.join(versions, version, "bin", name)
    private_server.missing("postgresql")


def connect():
    session = psycopg2.connect(host=directory, user="lockkeeper", dbname="postgres")
    session.autocommit = True
    return session


def on_start(init):
    global directory
    directory = init["data_dir"]
    user, data = private_server.user_for("postgres", directory), os.path.join(directory, "data")
    if not os.path.exists(data):
        subprocess.run([program("initdb"), "--pgdata=" + data, "--username=lockkeeper", "--auth=trust",
                        "--no-sync", "--locale=C", "--no-instructions"], user=user, cwd=directory,
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    settings = [word for setting in SETTINGS for word in ("-c", setting)]
    private_server.start([program("postgres"), "-D", data, "-k", directory, *settings],
                         connect, user, signal.SIGQUIT).close()


def ask(op, function):
    """One advisory lock for each key, numbered by its hash."""
    caller = "all" if "--pooled" in sys.argv else op["client"]
    if caller not in sessions:
        sessions[caller] = connect()
    with sessions[caller].cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtext(%s))", (op["key"],))
        return cursor.fetchone()[0]


def acquire(lock, op):
    if not ask(op, "pg_try_advisory_lock"):
        raise client.Refused


def release(lock, op):
    if not ask(op, "pg_advisory_unlock"):
        raise client.NotHeld


client.serve(on_start=on_start, acquire=acquire, release=release)

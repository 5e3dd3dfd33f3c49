#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records pgbouncer_transactions/: session locks of PostgreSQL behind a pool in transaction mode.

    examples/incidents/record_pgbouncer.py FOLDER

Needs PostgreSQL 15, PgBouncer and psycopg2, and root to become the user postgres. FOLDER gets the
logs of two workers (w1.log, w2.log) and the server's csvlog (postgres.csv). The pool has one
connection, so that one process of the server serves both workers.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import psycopg2

BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
SETTINGS = {
    "logging_collector": "on", "log_destination": "csvlog", "log_directory": "logs",
    "log_filename": "server.log", "log_min_duration_statement": "0", "log_lock_waits": "on",
    "deadlock_timeout": "200ms", "listen_addresses": "127.0.0.1", "log_timezone": "UTC",
}


def as_postgres(command, **more):
    return subprocess.run(["runuser", "-u", "postgres", "--"] + command, check=True,
                          stdout=subprocess.DEVNULL, **more)


def worker(name, port, folder, starts_after, works_for):
    time.sleep(starts_after)
    out = open(os.path.join(folder, name + ".log"), "w", buffering=1)

    def say(words):
        out.write("%.6f %s %s\n" % (time.time(), name, words))

    connection = psycopg2.connect(host="127.0.0.1", port=port, user="postgres", dbname="postgres",
                                  application_name=name)
    connection.autocommit = True
    cursor = connection.cursor()

    def ask(question):
        cursor.execute(question)
        return cursor.fetchone()[0]

    say("trying")
    is_acquired = ask("SELECT pg_try_advisory_lock(42)")
    say("acquired" if is_acquired else "busy")
    if not is_acquired:
        return
    time.sleep(works_for)
    say("wrote ledger")
    say("releasing")
    say("released" if ask("SELECT pg_advisory_unlock(42)") else "release failed")


def start_server(work, port):
    data = os.path.join(work, "data")
    as_postgres([BIN + "/initdb", "-D", data, "-A", "trust"])
    settings = dict(SETTINGS, port=str(port), unix_socket_directories=work)
    with open(os.path.join(data, "postgresql.conf"), "a") as file:
        file.writelines("%s = '%s'\n" % setting for setting in settings.items())
    as_postgres([BIN + "/pg_ctl", "-D", data, "-w", "-l", os.path.join(work, "start"), "start"])
    return data


def start_pool(work, port, server_port):
    file = os.path.join(work, "pool.ini")
    users = os.path.join(work, "users")
    with open(users, "w") as out:
        out.write('"postgres" ""\n')
    with open(file, "w") as out:
        out.write("[databases]\npostgres = host=127.0.0.1 port=%d\n[pgbouncer]\n"
                  "listen_addr = 127.0.0.1\nlisten_port = %d\nauth_type = trust\nauth_file = %s\n"
                  "pool_mode = transaction\ndefault_pool_size = 1\nunix_socket_dir =\n"
                  % (server_port, port, users))
    shutil.chown(file, "postgres")
    return subprocess.Popen(["runuser", "-u", "postgres", "--", "pgbouncer", "-q", file],
                            stderr=subprocess.DEVNULL)


def main():
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    server_port = 30000 + os.getpid() % 10000
    port = server_port + 10000
    with tempfile.TemporaryDirectory() as work:
        shutil.chown(work, "postgres")
        data = start_server(work, server_port)
        pool = start_pool(work, port, server_port)
        try:
            time.sleep(1)
            workers = [threading.Thread(target=worker, args=("w1", port, folder, 0, 0.6)),
                       threading.Thread(target=worker, args=("w2", port, folder, 0.3, 0.6))]
            for one in workers:
                one.start()
            for one in workers:
                one.join()
        finally:
            pool.terminate()
            pool.wait()
            as_postgres([BIN + "/pg_ctl", "-D", data, "-m", "fast", "-w", "stop"])
        lines = open(os.path.join(data, "logs", "server.csv")).readlines()
    with open(os.path.join(folder, "postgres.csv"), "w") as out:
        out.writelines(line for line in lines if "advisory" in line or "pool" in line)


main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records redis_paused_worker/: a worker is stopped for longer than its lease and goes on.

    examples/incidents/record_redis.py FOLDER

Needs redis-server, redis-cli and Python's redis. FOLDER gets the logs of two workers (w1.log,
w2.log) and what MONITOR says (monitor.log). Times are those of the recording.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

import redis

LEASE_MS = 1000
PAUSE_S = 1.6
RELEASE = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0"


def connect(port):
    return redis.Redis(port=port, single_connection_client=True)


def worker(name, port, folder, works_for):
    out = open(os.path.join(folder, name + ".log"), "w", buffering=1)

    def say(words):
        out.write("%.6f %s %s\n" % (time.time(), name, words))

    client = connect(port)
    token = None
    number = 0
    while token is None:
        number += 1
        wanted = "%s-%d" % (name, number)
        say("trying")
        token = wanted if client.set("job", wanted, nx=True, px=LEASE_MS) else None
        say("acquired " + token if token else "busy")
        if token is None:
            time.sleep(0.15)
    time.sleep(works_for)
    client.set("ledger", name)
    say("wrote ledger")
    say("releasing")
    say("released" if client.eval(RELEASE, 1, "job", token) else "release failed")


def wait_for(file, words):
    end = time.time() + 20
    while time.time() < end:
        if os.path.exists(file) and words in open(file).read():
            return
        time.sleep(0.002)
    sys.exit("%s never said: %s" % (file, words))


def spawn(*arguments):
    child = os.fork()
    if child == 0:
        worker(*arguments)
        os._exit(0)
    return child


def record(folder, port):
    monitor = subprocess.Popen(["redis-cli", "-p", str(port), "monitor"],
                               stdout=open(os.path.join(folder, "monitor.log"), "w"))
    time.sleep(0.3)
    first = spawn("w1", port, folder, 0.2)
    wait_for(os.path.join(folder, "w1.log"), "acquired")
    os.kill(first, signal.SIGSTOP)
    second = spawn("w2", port, folder, 0.5)
    time.sleep(PAUSE_S)
    os.kill(first, signal.SIGCONT)
    os.waitpid(first, 0)
    os.waitpid(second, 0)
    time.sleep(0.2)
    monitor.terminate()
    monitor.wait()


def main():
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    for name in ("w1.log", "w2.log", "monitor.log"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    port = 30000 + os.getpid() % 20000
    with tempfile.TemporaryDirectory() as work:
        server = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--bind",
                                   "127.0.0.1", "--dir", work], stdout=subprocess.DEVNULL)
        try:
            while True:
                try:
                    connect(port).ping()
                    break
                except redis.ConnectionError:
                    time.sleep(0.05)
            record(folder, port)
        finally:
            server.terminate()
            server.wait()
    file = os.path.join(folder, "monitor.log")
    kept = [line for line in open(file) if line.startswith("1") and '"PING"' not in line]
    open(file, "w").writelines(kept)


main()

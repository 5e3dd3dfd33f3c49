# SPDX-License-Identifier: Apache-2.0
"""Two consumers in two threads, each with its own connection, fetch the only message of a queue and give it back,
again and again. Exit code 1: the message is gone. It starts a redis-server."""

import subprocess
import sys
import tempfile
import threading
import time

import redis
from kombu import Connection, Exchange, Producer, Queue

PORT = 17_972
SECONDS_MAX = 60
has_ended = threading.Event()


def queue(channel):
    return Queue("db", Exchange("db"), routing_key="db")(channel)


def ready():
    client = redis.Redis(port=PORT)
    for _ in range(200):
        try:
            client.ping()
            return client
        except redis.ConnectionError:
            time.sleep(0.05)
    sys.exit("redis-server does not answer")


def consume():
    with Connection(f"redis://127.0.0.1:{PORT}") as connection:
        bound = queue(connection.channel())
        while not has_ended.is_set():
            message = bound.get()
            if message is not None:
                message.requeue()


def is_lost(client):
    """Twice, a second apart: the message is neither in the queue nor with a consumer."""
    for _ in range(2):
        if any(client.llen(key) for key in client.keys("db*")) or client.hlen("unacked"):
            return False
        time.sleep(1)
    return True


with tempfile.TemporaryDirectory() as folder:
    server = subprocess.Popen(["redis-server", "--port", str(PORT), "--save", "", "--dir", folder],
                              stdout=subprocess.DEVNULL)
    try:
        client = ready()
        with Connection(f"redis://127.0.0.1:{PORT}") as connection:
            channel = connection.channel()
            queue(channel).declare()
            Producer(channel).publish({}, exchange="db", routing_key="db")
        threads = [threading.Thread(target=consume) for _ in range(2)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + SECONDS_MAX
        lost = False
        while not lost and time.monotonic() < end:
            lost = is_lost(client)
            time.sleep(0.02)
        has_ended.set()
        for thread in threads:
            thread.join()
        lost = lost and is_lost(client)
    finally:
        server.terminate()
        server.wait()
print("the message is gone" if lost else "the message is still there")
sys.exit(1 if lost else 0)

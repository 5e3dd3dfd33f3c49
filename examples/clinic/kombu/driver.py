# SPDX-License-Identifier: Apache-2.0
"""A queue of kombu on Redis with one message; a caller holds while it has fetched the message. What is given
back is fetched again by the next."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "wire"))

from lockkeeper_wire import serve  # noqa: E402

from kombu import Connection, Exchange, Producer, Queue  # noqa: E402


def queue(key, channel):
    return Queue(key, Exchange(key), routing_key=key)(channel)


def setup(key):
    connection = Connection(os.environ["REDIS_URL"])
    channel = connection.channel()
    messages = []

    def acquire():
        message = queue(key, channel).get()
        messages.append(message)
        return message is not None

    def release():
        messages[-1].requeue()
        return "done"

    return {"acquire": acquire, "release": release, "close": connection.release}


def prepare():
    with Connection(os.environ["REDIS_URL"]) as connection:
        channel = connection.channel()
        queue("db", channel).declare()
        Producer(channel).publish({}, exchange="db", routing_key="db")


serve(setup, prepare)

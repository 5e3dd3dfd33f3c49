# SPDX-License-Identifier: Apache-2.0
"""Locks on ZooKeeper by kazoo: argv[1] says which.

    lock             kazoo's recipe, asked without waiting
    waits            the same, waiting by a watch
    semaphore        kazoo's semaphore of one lease, waiting by a watch
    semaphore_of_two broken, where there is one place
    looks_first      broken: a node made by whoever has seen that there is none, whatever the answer then
"""

import os
import sys

try:
    from kazoo.client import KazooClient, KazooState
    from kazoo.exceptions import NodeExistsError
except ImportError as error:
    sys.exit(f"not installed: {error.name} (python3-kazoo); see examples/wire/libraries/README.md")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lockkeeper_wire import serve

KIND = sys.argv[1] if len(sys.argv) > 1 else "lock"
SESSION_SECONDS = 10


def looks_first(client, path):
    def acquire():
        if client.exists(path):
            return False
        try:
            client.create(path, ephemeral=True)
        except NodeExistsError:
            pass
        return True

    return {"acquire": acquire, "release": lambda: client.delete(path)}


def recipe(client, path):
    made = client.Semaphore(path, 2 if KIND == "semaphore_of_two" else 1) if KIND.startswith("semaphore") else client.Lock(path)

    def release():
        made.release()
        return "done"  # it does not look whether the node was still there

    return {"acquire": lambda: made.acquire(blocking=KIND != "lock"), "release": release}


def setup(key, lost):
    client = KazooClient(os.environ["LOCKKEEPER_ADDRESS"], timeout=SESSION_SECONDS)
    client.add_listener(lambda state: lost() if state == KazooState.LOST else None)
    client.start()
    return (looks_first if KIND == "looks_first" else recipe)(client, "/" + key)


serve(setup)

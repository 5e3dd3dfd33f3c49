# SPDX-License-Identifier: Apache-2.0
"""A lock on etcd's HTTP gateway, with a lease of ten seconds: argv[1] says which.

    right                a key put where it is absent, and deleted where it is the own one
    release_of_anybody   the release deletes whoever's key it is
    no_lease             the key has no lease
"""

import base64
import http.client
import json
import os
import sys
import uuid

from lockkeeper_wire import serve

SECONDS = 10


def text(value):
    return base64.b64encode(value.encode()).decode()


class Lock:
    def __init__(self, kind, key):
        self.kind = kind
        self.key = text(key)
        self.token = text(uuid.uuid4().hex)
        self.connection = None

    def ask(self, path, **message):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(os.environ["LOCKKEEPER_ADDRESS"])
        try:
            self.connection.request("POST", path, json.dumps(message), {"Content-Type": "application/json"})
            answer = json.load(self.connection.getresponse())
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def acquire(self):
        put = {"key": self.key, "value": self.token}
        if self.kind != "no_lease":
            put["lease"] = self.ask("/v3/lease/grant", TTL=SECONDS)["ID"]
        answer = self.ask(
            "/v3/kv/txn",
            compare=[{"target": "VERSION", "key": self.key, "version": 0}],
            success=[{"requestPut": put}],
        )
        return bool(answer.get("succeeded"))

    def release(self):
        delete = {"requestDeleteRange": {"key": self.key}}
        if self.kind == "release_of_anybody":
            return bool(self.ask("/v3/kv/txn", success=[delete]))
        answer = self.ask(
            "/v3/kv/txn",
            compare=[{"target": "VALUE", "key": self.key, "value": self.token}],
            success=[delete],
        )
        return bool(answer.get("succeeded"))


def setup(key):
    lock = Lock(sys.argv[1], key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks for 300 ms at a time: until_locks.py MODE. Black box only; state in memory.

right        taken over when its time is over, and says so
says-longer  the same, but "until" is 100 s later
expired      the same, but "until" was a second ago
never-ends   says so, but nobody else gets it when its time is over
renews-late  "renew" answers with a new "until", whoever has the lock by then
deletes      a release takes away whatever is there, whoever has it by then
raises       without a time limit; contended acquires answer an error that is not definite
aborts       without a time limit; contended acquires answer error 14
refuses      nothing is ever granted
"""

import json
import sys
import time

mode = sys.argv[1]
TTL = 300
CODES = {"raises": 0, "aborts": 14}
rows = {}  # key: [client, end]


def now():
    return time.monotonic_ns() // 1_000_000


def until_of(end):
    return end + {"says-longer": 100_000, "expired": -1_000 - TTL}.get(mode, 0)


def operate(client, body):
    row = rows.get(body["key"])
    taken = row is not None and (mode in ("never-ends", *CODES) or row[1] > now())
    if body["type"] == "acquire":
        if taken or mode == "refuses":
            return {"type": "error", "code": CODES.get(mode, 1000)}
        end = now() + TTL
        rows[body["key"]] = [client, end]
        return {"type": "acquire_ok"} if mode in CODES else \
            {"type": "acquire_ok", "until": until_of(end)}
    own = row is not None and row[0] == client
    if body["type"] == "release":
        if mode == "deletes":
            rows.pop(body["key"], None)
            return {"type": "release_ok"}
        if own and mode != "never-ends":
            del rows[body["key"]]
        return {"type": "release_ok"} if own else {"type": "error", "code": 22}
    if mode != "renews-late" and not (own and taken):
        return {"type": "error", "code": 22}
    end = now() + TTL
    rows[body["key"]] = [client, end]
    return {"type": body["type"] + "_ok", "until": end}


for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    answer = {"type": "init_ok"} if body["type"] == "init" else operate(message["src"], body)
    answer["in_reply_to"] = body["msg_id"]
    print(json.dumps({"src": "n1", "dest": message["src"], "body": answer}), flush=True)

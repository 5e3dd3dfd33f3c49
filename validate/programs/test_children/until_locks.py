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
rows = {}  # key: [client, end] of each place that is taken, the oldest first


def now():
    return time.monotonic_ns() // 1_000_000


def until_of(end):
    return end + {"says-longer": 100_000, "expired": -1_000 - TTL}.get(mode, 0)


def operate(client, body):
    held = rows.setdefault(body["key"], [])
    lasting = [row for row in held if mode in ("never-ends", *CODES) or row[1] > now()]
    own = next((row for row in held if row[0] == client), None)
    if body["type"] == "acquire":
        places = 1 if mode in CODES else body["max_per"] * body["buckets"]
        if len(lasting) >= places or mode == "refuses":
            return {"type": "error", "code": CODES.get(mode, 1000)}
        end = now() + TTL
        rows[body["key"]] = [*lasting, [client, end]]
        return {"type": "acquire_ok"} if mode in CODES else \
            {"type": "acquire_ok", "until": until_of(end)}
    if body["type"] == "release":
        if mode == "deletes":
            del held[:1]
            return {"type": "release_ok"}
        if own and mode != "never-ends":
            held.remove(own)
        return {"type": "release_ok"} if own else {"type": "error", "code": 22}
    if mode != "renews-late" and own not in lasting:
        return {"type": "error", "code": 22}
    end = now() + TTL
    if own is None:
        rows[body["key"]] = [[client, end]]
    else:
        own[1] = end
    return {"type": body["type"] + "_ok", "until": end}


for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    answer = {"type": "init_ok"} if body["type"] == "init" else operate(message["src"], body)
    answer["in_reply_to"] = body["msg_id"]
    print(json.dumps({"src": "n1", "dest": message["src"], "body": answer}), flush=True)

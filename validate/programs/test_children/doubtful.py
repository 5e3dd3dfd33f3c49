#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks whose calls have no definite end: doubtful.py MODE. At the stepped level they keep
everything to themselves and ask nothing.

times-out         an acquire that found room has taken it, and answers error 0
times-out-wrong   the same, but it has taken two
times-out-probe   the final look's calls answer error 0, and nothing is ever given back
dies              the caller of an acquire of the key b dies, and what it held is given back
"""

import json
import sys

mode = sys.argv[1]
held = []


def acquire(client, body):
    if mode == "times-out-probe" and client == "probe":
        return {"type": "error", "code": 0}
    if mode == "dies" and body["key"] == "b":
        held.clear()
        return {"type": "error", "code": 13}
    if len(held) >= body["max_per"] * body["buckets"]:
        return {"type": "error", "code": 1000}
    held.extend([client] * (2 if mode == "times-out-wrong" else 1))
    return {"type": "error", "code": 0} if mode.startswith("times-out") and \
        mode != "times-out-probe" else {"type": "acquire_ok"}


for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    if body["type"] == "crash":
        continue
    if body["type"] == "reset":
        held.clear()
    answer = acquire(message["src"], body) if body["type"] == "acquire" \
        else {"type": body["type"] + "_ok"}
    answer["in_reply_to"] = body["msg_id"]
    print(json.dumps({"src": "n1", "dest": message["src"], "body": answer}), flush=True)

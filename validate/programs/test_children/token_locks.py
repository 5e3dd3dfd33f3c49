#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mutex with fencing tokens: token_locks.py MODE. Black box only; state in memory.

up        each grant has a larger token
down      each grant has a smaller one
same      all have the same
again     each hold has a larger one, and its holder may acquire again
sometimes every second process grants, without tokens; the file that is named counts them
"""

import json
import os
import sys

mode = sys.argv[1]
holders = {}
tokens = {"up": 0, "down": 1_000, "same": 1, "again": 0}
step = {"up": 1, "down": -1, "same": 0, "again": 1}
token = tokens.get(mode, 0)


def operate(client, body):
    global token
    key = body["key"]
    if mode == "again" and key in holders and holders[key][0] == client:
        return change_depth(key, body["type"])
    if body["type"] == "release":
        if holders.pop(key, None) == client:
            return {"type": "release_ok"}
        return {"type": "error", "code": 22}
    if key in holders or (mode == "sometimes" and not grants):
        return {"type": "error", "code": 1000}
    holders[key] = [client, 1] if mode == "again" else client
    if mode == "sometimes":
        return {"type": "acquire_ok"}
    token += step[mode]
    return {"type": "acquire_ok", "token": token}


def change_depth(key, word):
    holders[key][1] += 1 if word == "acquire" else -1
    if holders[key][1] == 0:
        del holders[key]
    return {"type": word + "_ok", **({"token": token} if word == "acquire" else {})}


def next_run_grants(counter):
    runs = int(open(counter).read()) if os.path.exists(counter) else 0
    with open(counter, "w") as file:
        file.write(str(runs + 1))
    return runs % 2 == 1


grants = mode != "sometimes" or next_run_grants(sys.argv[2])
for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    answer = {"type": "init_ok"} if body["type"] == "init" else operate(message["src"], body)
    answer["in_reply_to"] = body["msg_id"]
    print(json.dumps({"src": "n1", "dest": message["src"], "body": answer}), flush=True)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stateless program whose states differ only far behind the beginning of what it asks to write:
A1's first question decides a cas, and the cas how A1 ends. With `local` nothing else tells of it.
long_values.py WHAT: `value` writes values that differ in their 61st byte, `creates` asks for the
same cas with and without create_if_not_exists."""

import json
import sys

what = sys.argv[1]
started = {}
asked = {}
count = 0


def write(dest, body):
    print(json.dumps({"src": "n1", "dest": dest, "body": body}), flush=True)


def steps(client):
    if client == "A1":
        seen = yield {"type": "read", "key": "seen"}
        cas = {"type": "cas", "key": "row", "from": "open", "to": "x" * 60, "local": "before the cas"}
        if what == "value":
            cas["to"] += "0" if seen is None else "1"
        else:
            cas["create_if_not_exists"] = seen is not None
        yield cas
        row = yield {"type": "read", "key": "row", "local": "after the cas"}
        wanted = "x" * 60 + ("1" if what == "value" else "")
        return 13 if row == wanted else 1000
    yield {"type": "write", "key": "seen", "value": 1, "local": 1}
    yield {"type": "delete", "key": "seen", "local": 2}
    if what == "value":
        yield {"type": "write", "key": "row", "value": "open", "local": 3}
    return 1000


def go_on(op, answer):
    global count
    client, coroutine = started[op]
    try:
        question = coroutine.send(answer)
    except StopIteration as end:
        write(client, {"type": "error", "in_reply_to": op, "code": end.value})
    else:
        count += 1
        asked[count] = op
        write("harness", {**question, "msg_id": count, "op": op})


for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    if body["type"] == "init":
        write("harness", {"type": "init_ok", "in_reply_to": body["msg_id"], "stateless": True})
    elif body["type"] == "reset":
        started, asked = {}, {}
        write("harness", {"type": "reset_ok", "in_reply_to": body["msg_id"]})
    elif "in_reply_to" in body:
        go_on(asked.pop(body["in_reply_to"]), body.get("value"))
    elif body["type"] != "crash":
        started[body["msg_id"]] = (message["src"], steps(message["src"]))
        go_on(body["msg_id"], None)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock with two questions open at once, without the client library: open_questions.py MODE.

fair         acquire writes two keys at once, and answers after both answers
order        the same, but grants only where the second write was answered first; it decides one
             question later
Each other mode breaks one rule of a turn (docs/reference/protocol.md, rule 1)."""

import json
import os
import sys

mode = sys.argv[1]
asked, missing, count = {}, {}, 0
first = {}  # by operation: the key of the question that was answered first


def write(dest, **body):
    os.write(1, (json.dumps({"src": "n1", "dest": dest, "body": body}) + "\n").encode())


def ask(message, key, **more):
    global count
    count += 1
    asked[count] = message, key
    op = message["body"]["msg_id"]
    missing[op] = missing.get(op, 0) + 1
    write("harness", type="write", msg_id=count, op=op, key=key, value=message["src"], **more)


def answer(message, **more):
    write(message["src"], type=message["body"]["type"] + "_ok",
          in_reply_to=message["body"]["msg_id"], **more)


def begin(message):
    op = message["body"]["msg_id"]
    if mode == "waits-for-nothing":
        write("harness", type="wait", op=op)
    elif mode == "answers-and-goes-on":
        answer(message, more=True)
    elif mode == "many":
        for place in range(20):
            ask(message, f"key {place}", more=True)
    elif mode == "same-id":
        write("harness", type="now", msg_id=1, op=op, more=True)
        write("harness", type="now", msg_id=1, op=op)
    elif mode == "no-marker":  # the second line comes unasked
        ask(message, "left")
        ask(message, "right")
    else:
        ask(message, "left", more=True)
        ask(message, "right")


def order(message, key):
    op = message["body"]["msg_id"]
    if key != "decides" and missing[op] > 0:
        first[op] = key
        write("harness", type="wait", op=op)
    elif key != "decides":
        ask(message, "decides")
    elif first[op] == "right":
        answer(message)
    else:
        write(message["src"], type="error", in_reply_to=op, code=1000)


def answered(body):
    message, key = asked.pop(body["in_reply_to"])
    op = message["body"]["msg_id"]
    missing[op] -= 1
    if mode == "order":
        order(message, key)
    elif mode == "answers-early" or missing[op] == 0:
        answer(message)
    else:
        write("harness", type="wait", op=op)


buffer = b""
while data := os.read(0, 65536):
    *lines, buffer = (buffer + data).split(b"\n")
    for line in lines:
        message = json.loads(line)
        body = message["body"]
        if body["type"] in ("init", "reset"):
            more = {"stateless": True} if body["type"] == "init" else {}
            if mode == "background" and more:
                more["background"] = ["manager"]
            write("harness", type=body["type"] + "_ok", in_reply_to=body["msg_id"], **more)
        elif "in_reply_to" in body:
            answered(body)
        elif body["type"] != "crash":
            begin(message)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Children that misbehave, one way each: child.py MODE. Until then they keep to the protocol: a lock
that grants everything after one question, without asyncio or the client library, so that the tests
do not depend on it."""

import json
import os
import sys
import time

mode = sys.argv[1]
level = "stepped"
asked = {}
count = 0
answered = 0
resets = 0


def write(dest, **body):
    os.write(1, (json.dumps({"src": "n1", "dest": dest, "body": body}) + "\n").encode())


def wait_for_ever():
    while True:
        time.sleep(60)


def begin(message):
    """An operation comes: the modes that fail before the first question."""
    body = message["body"]
    if mode == "dies":
        print("the reason stands here", file=sys.stderr)
        sys.exit(3)
    if mode == "is-killed":
        os.kill(os.getpid(), 9)
    if mode == "hangs":
        wait_for_ever()
    if mode == "long-line":
        os.write(1, b"x" * 200_000)
        wait_for_ever()
    if mode == "floods":
        while True:
            os.write(1, b"x" * 60_000 + b"\n")
    if mode == "floods-stderr":
        for _ in range(1100):
            os.write(2, b"y" * 65_536)
    if mode == "no-json":
        os.write(1, b"Hello, \x80\xff world\n")
    if mode == "no-object":
        os.write(1, b"[1, 2]\n")
    if mode == "deep":
        os.write(1, b"[" * 60_000 + b"\n")
    if mode == "unknown-type":
        write("harness", type="borrow", msg_id=1, op=body["msg_id"])
    if mode == "unknown-key":
        write("harness", type="read", msg_id=1, op=body["msg_id"], kee="db")
    if mode == "wrong-id":
        write(message["src"], type=body["type"] + "_ok", in_reply_to=body["msg_id"] + 77)
    if mode == "wrong-op":
        write("harness", type="now", msg_id=1, op=body["msg_id"] + 77)
    if mode == "wrong-caller":
        write("nobody", type=body["type"] + "_ok", in_reply_to=body["msg_id"])
    if mode == "wrong-answer":
        write(message["src"], type="read_ok", in_reply_to=body["msg_id"])
    if mode == "closes-stdin":
        os.close(0)
        write("harness", type="now", msg_id=1, op=body["msg_id"])
        wait_for_ever()
    if mode == "closes-stdout":
        os.close(1)
        wait_for_ever()
    if mode == "no-counter":
        write("harness", type="update_counter", msg_id=1, op=body["msg_id"], key="text", add=1)
    if mode == "grandchild":
        os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")
    if mode == "commit-alone":
        write("harness", type="commit", op=body["msg_id"], steps=[], more=True)
    if mode == "fails":
        write("harness", type="failed", text="TypeError: no", where="lock.py:3 in acquire")
    if mode == "not-supported":
        write(message["src"], type="error", in_reply_to=body["msg_id"], code=10, text=body["type"])


ANSWERING = ("random", "forgets-reset", "crashes", "deadlock", "grants", "grandchild", "refuses",
             "floods-stderr", "extra-line", "never-answers", "hangs-later", "atomic",
             "atomic-without-commit", "atomic-of-another", "atomic-is-all", "atomic-elsewhere")


def operate(message):
    global count
    begin(message)
    body = message["body"]
    if mode not in ANSWERING or mode == "never-answers":
        return
    if mode == "refuses":
        write(message["src"], type="error", in_reply_to=body["msg_id"], code=1000)
        return
    if mode == "crashes":
        write(message["src"], type="error", in_reply_to=body["msg_id"], code=13)
        return
    if level != "stepped":
        write(message["src"], type=body["type"] + "_ok", in_reply_to=body["msg_id"])
        return
    count += 1
    asked[count] = message
    key = "db"
    if mode == "random":
        key = f"db{os.getpid()}{time.monotonic_ns()}"
    if mode == "forgets-reset":
        key = f"db{count}"
    if mode == "deadlock":
        write("harness", type="receive", msg_id=count, op=body["msg_id"], mailbox="nobody writes")
        return
    if mode.startswith("atomic"):
        write("harness", type="atomic", msg_id=count, op=body["msg_id"], keys=["db"])
        return
    write("harness", type="write", msg_id=count, op=body["msg_id"], key=key, value=1)


def commit(op):
    """The first line after the answer to an atomic step."""
    step = {"type": "write", "key": "other" if mode == "atomic-elsewhere" else "db", "value": 1}
    if mode.startswith("atomic") and mode != "atomic-without-commit":
        write("harness", type="commit", op=op + (77 if mode == "atomic-of-another" else 0),
              steps=[step], more=mode != "atomic-is-all")


buffer = b""
while data := os.read(0, 65536):
    *lines, buffer = (buffer + data).split(b"\n")
    for line in lines:
        message = json.loads(line)
        body = message["body"]
        if body["type"] == "init":
            level = body["level"]
            if mode == "exits-at-init":
                sys.exit(4)
            if mode == "refuses-init":
                write("harness", type="error", in_reply_to=body["msg_id"], code=12, text="not me")
            elif mode == "hangs-at-init":
                wait_for_ever()
            else:
                write("harness", type="init_ok", in_reply_to=body["msg_id"],
                      stateless=mode not in ("forgets-reset", "random"))
        elif body["type"] == "reset":
            resets += 1
            if mode == "ends-on-reset":
                sys.exit(5)
            if mode == "hangs-later" and resets > 1:
                wait_for_ever()
            write("harness", type="reset_ok", in_reply_to=body["msg_id"])
        elif "in_reply_to" in body:
            first = asked.pop(body["in_reply_to"])
            answered += 1
            commit(first["body"]["msg_id"])
            write(first["src"], type=first["body"]["type"] + "_ok",
                  in_reply_to=first["body"]["msg_id"])
            if mode == "extra-line":
                write(first["src"], type="acquire_ok", in_reply_to=first["body"]["msg_id"])
        elif body["type"] not in ("crash", "background"):
            operate(message)

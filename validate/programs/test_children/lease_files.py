#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lease for each key in a file of the data directory, for processes that share it:
lease_files.py MODE. Black box only.

right            a row has an end, and whoever asks later takes it over
holder-removes   a row has no end: its holder's own timer removes it, as long as the holder lives
"""

import fcntl
import json
import os
import sys
import threading
import time

mode = sys.argv[1]
directory = None
ttl = 100
writing = threading.Lock()


def now():
    return time.monotonic_ns() // 1_000_000


def change(key, rule):
    """The row becomes what `rule` makes of it, unless that is the same: then nothing is done."""
    with writing, open(os.path.join(directory, key), "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        row = json.loads(file.read() or "null")
        new = rule(row)
        if new == row:
            return False
        file.truncate(0)
        file.write(json.dumps(new))
        return True


def acquire(client, key):
    end = now() + ttl
    mine = {"owner": client, "end": None if mode == "holder-removes" else end, "since": end - ttl}

    def take(row):
        taken = row and (row["end"] is None or row["end"] > now())
        return row if taken else mine

    if not change(key, take):
        return {"type": "error", "code": 1000}
    if mode == "holder-removes":
        timer = threading.Timer(ttl / 1000, change,
                                (key, lambda row: None if row == mine else row))
        timer.daemon = True
        timer.start()
    return {"type": "acquire_ok", "until": end}


def release(client, key):
    def give_back(row):
        live = row and (row["end"] is None or row["end"] > now())
        return None if live and row["owner"] == client else row

    return {"type": "release_ok"} if change(key, give_back) else {"type": "error", "code": 22}


for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    if body["type"] == "init":
        directory = body["data_dir"]
        ttl = body["parameters"].get("ttl", ttl)
        answer = {"type": "init_ok"}
    elif body["type"] == "acquire":
        answer = acquire(message["src"], body["key"])
    elif body["type"] == "release":
        answer = release(message["src"], body["key"])
    else:
        answer = {"type": "error", "code": 10}
    answer["in_reply_to"] = body["msg_id"]
    print(json.dumps({"src": "n1", "dest": message["src"], "body": answer}), flush=True)

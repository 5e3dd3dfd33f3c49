#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lease of several places in one row, taken in one step: places.py MODE [late]. Grants have a token; with
`late` an acquire takes one more step after that.

right           a release that comes too late is told so
check-then-add  what is free is looked for in a step of its own
blind           a release that comes too late says ok
repeats         a token is that of the grant before
falls           each token is smaller than the one before
for-ever        as right, but without an end
fails           without an end; a release fails for certain
fails-and-frees as fails, but the place is free"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "outside"))
from lockkeeper_client import NotHeld, ProtocolError, Refused, serve  # noqa: E402

mode, is_late = sys.argv[1], "late" in sys.argv
parameters = {"ttl": 2}
has_no_end = mode in ("for-ever", "fails", "fails-and-frees")


async def acquire(lock, op):
    key, limit = op["key"], op["max_per"] * op["buckets"]

    def look(state, now):
        rows = [row for row in state.get(key, {"rows": []})["rows"] if row["until"] > now]
        if len(rows) >= limit:
            raise Refused
        return rows

    def add(state, now):
        rows = look(state, now) if mode != "check-then-add" else state.get(key, {"rows": []})["rows"]
        last = state.get(key, {"last": 100 if mode == "falls" else 0})["last"]
        token = last + {"repeats": 0, "falls": -1}.get(mode, 1)
        until = now + (1 << 40 if has_no_end else parameters["ttl"])
        row = {"owner": op["client"], "token": token, "until": until}
        state[key] = {"rows": rows + [row], "last": token}
        return row

    if mode == "check-then-add":
        await lock.atomic([key], look, clock=True)
    row = await lock.atomic([key], add, clock=True)
    if is_late:
        await lock.write("log of " + op["client"], row["token"])
    return {"token": row["token"], **({} if has_no_end else {"until": row["until"]})}


async def release(lock, op):
    def drop(state, now):
        rows = state.get(op["key"], {"rows": []})["rows"]
        own = [row for row in rows if row["owner"] == op["client"] and row["until"] > now]
        if not own and mode != "blind":
            raise NotHeld
        state[op["key"]] = {**state[op["key"]], "rows": [row for row in rows if row not in own[:1]]}

    if mode == "fails":
        await lock.write("log of " + op["client"], 0)
    else:
        await lock.atomic([op["key"]], drop, clock=True)
    if mode.startswith("fails"):
        raise ProtocolError(14, "not now")


serve(stateless=True, durable=True, parameters=parameters, acquire=acquire, release=release)

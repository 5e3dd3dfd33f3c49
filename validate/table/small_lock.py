# SPDX-License-Identifier: Apache-2.0
"""Runs each lock of small_locks.json, which says what its steps mean: as a program of the protocol
at both levels (small_lock.py program), or as a client of Redis (small_lock.py wire). The key of an operation is the
lock's name, so that one process serves all rows."""

import json
import os
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TABLE = pathlib.Path(os.environ.get("LOCKKEEPER_SMALL_LOCKS", HERE / "small_locks.json"))
LOCKS = {row["lock"]: row for row in json.loads(TABLE.read_text())["locks"]}
SLOTS = 4
FIRST_TOKEN = 100
WORDS = ("ok", "refused", "lost", "done", "failed", "unknown", "dies")
MILLISECONDS = 100  # of one unit of time, where time is real
ENDS = {"acquire": "refused", "release": "lost", "renew": "lost"}


class Call:
    """One operation of a row: each step is one access, which says whether it went well."""

    def __init__(self, row, verb, owner):
        self.steps, self.verb, self.owner = row[verb], verb, owner
        self.ttl, self.beyond = row.get("ttl", 0), row.get("beyond", 0)
        self.slot, self.until, self.token, self.at = 0, None, None, 0
        self.word = None  # what is answered, once that is known

    def step(self):
        """(name, number) of the next step."""
        name, _, number = self.steps[self.at].partition(" else ")[0].partition(" ")
        return name, number

    def go_on(self, goes_well, ends=False):
        """After a step. `ends`: the operation ends well with it."""
        where = self.steps[self.at].partition(" else ")[2] or ENDS[self.verb]
        if not goes_well and not where.isdigit():
            self.word = where
            return
        self.at = self.at + 1 if goes_well else int(where)
        if ends or self.at == len(self.steps):
            self.word = "ok"
        elif self.steps[self.at] in WORDS:
            self.word = self.steps[self.at]


# Of one lock in the harness's store: its slots, each {"owner", "depth", "end"} or null.

def live(entry, now):
    return entry is not None and (entry["end"] is None or entry["end"] > now)


def access(call, stored, now):
    """One step of `call` on what is stored: (goes well, ends)."""
    name, number = call.step()
    slots = stored["slots"] = [entry if live(entry, now) else None for entry in stored["slots"]]
    free = [i for i in range(SLOTS) if slots[i] is None]
    taken = [i for i in range(SLOTS) if slots[i] is not None]
    own = [i for i in taken if slots[i]["owner"] == call.owner]
    end = now + call.ttl if call.ttl else None

    def put(slot):
        slots[slot] = {"owner": call.owner, "depth": 1, "end": end, "token": None}
        if call.ttl:
            call.until = end + call.beyond

    def next_token(more):
        stored["token"] += more
        call.token = stored["token"]
        for entry in slots:
            if entry is not None and entry["owner"] == call.owner:
                entry["token"] = call.token

    if name in ("take", "take-next"):
        if not free or free[0] >= int(number):
            return False, False
        put(free[0])
        if name == "take-next":
            next_token(1)
    elif name == "read":
        call.slot = free[0]
        return len(taken) < int(number), False
    elif name == "add":
        put(free[0])
    elif name == "put":
        if slots[call.slot] is not None:
            return False, False
        put(call.slot)
    elif name == "again":
        if own:
            slots[own[0]]["depth"] += 1
            call.token = slots[own[0]]["token"]
        return True, bool(own)
    elif name in ("mine", "drop", "delete-mine"):
        if not own:
            return False, False
        if name == "delete-mine":
            slots[own[0]]["depth"] -= 1
        if name == "drop" or slots[own[0]]["depth"] == 0:
            slots[own[0]] = None
    elif name == "delete" and taken:
        slots[taken[0]] = None
    elif name == "extend":
        if taken:
            slots[taken[0]]["end"] = end
        call.until = end
    elif name == "token":
        next_token(int(number))
    elif name == "register":
        stored["waiters"] += 1
    elif name == "waited-for":
        return stored["waiters"] > 0, False
    return True, False


def serve_program():
    sys.path.insert(0, str(HERE.parents[1] / "examples" / "outside"))
    from lockkeeper_client import ProtocolError, serve
    codes = {"refused": 1000, "lost": 22, "failed": 14, "unknown": 0, "dies": 13}
    unit = {"of time": 1}

    def begin(init):
        unit["of time"] = 1 if init["level"] == "stepped" else MILLISECONDS

    async def run(lock, op):
        row = LOCKS[op["key"]]
        call = Call(row, op["type"], op["client"])
        call.ttl *= unit["of time"]
        call.beyond *= unit["of time"]

        def one_step(state, now=0):
            stored = state.get(op["key"], {"slots": [None] * SLOTS, "token": FIRST_TOKEN, "waiters": 0})
            seen = json.dumps(stored)
            result = access(call, stored, now)
            if json.dumps(stored) != seen:
                state[op["key"]] = stored
            return result

        while call.word is None:
            for _ in range(random.randrange(3) if unit["of time"] > 1 else 0):
                await lock.read(op["key"])  # others come first
            name, _ = call.step()
            if name == "look":
                await lock.read(op["key"])
                call.go_on(True)
            elif name == "wait":
                call.go_on(await lock.wait_while(op["key"] + " bell", None))
            elif name == "ring":
                call.go_on(await lock.write(op["key"] + " bell", 1))
            else:
                call.go_on(*await lock.atomic([op["key"]], one_step, clock=call.ttl > 0))
        if call.word in codes:
            raise ProtocolError(codes[call.word])
        says = {"until": call.until, "token": call.token, "done": call.word == "done" or None}
        return {word: value for word, value in says.items() if value is not None}

    serve(stateless=True, on_start=begin, acquire=run, release=run, renew=run)


# One script for each step. KEYS: the slots, then the token. ARGV: owner, number, milliseconds or 0.
PUT = """local function put(slot)
  if ARGV[3] == '0' then redis.call('SET', KEYS[slot], ARGV[1] .. ' 1')
  else redis.call('SET', KEYS[slot], ARGV[1] .. ' 1', 'PX', ARGV[3]) end
  return 1
end
"""
SEEN = """local free, taken, own, depth = {}, {}, nil, nil
for i = 1, #KEYS - 1 do
  local entry = redis.call('GET', KEYS[i])
  if not entry then free[#free + 1] = i else
    taken[#taken + 1] = i
    local owner, times = string.match(entry, '^(%S+) (%d+)$')
    if owner == ARGV[1] and not own then own, depth = i, tonumber(times) end
  end
end
local number = tonumber(ARGV[2])
"""
SCRIPTS = {
    "take": PUT + SEEN + "if not free[1] or free[1] > number then return 0 end return put(free[1])",
    "take-next": PUT + SEEN + "if not free[1] or free[1] > number then return 0 end "
                              "put(free[1]) return redis.call('INCR', KEYS[#KEYS])",
    "read": SEEN + "if #taken < number then return free[1] end return 0",
    "add": PUT + SEEN + "return put(free[1])",
    "put": PUT + SEEN + "if redis.call('EXISTS', KEYS[number]) == 1 then return 0 end return put(number)",
    "again": SEEN + "if not own then return 0 end "
                    "redis.call('SET', KEYS[own], ARGV[1] .. ' ' .. (depth + 1), 'KEEPTTL') return 1",
    "mine": SEEN + "return own and 1 or 0",
    "drop": SEEN + "if not own then return 0 end redis.call('DEL', KEYS[own]) return 1",
    "delete-mine": SEEN + "if not own then return 0 end "
                          "if depth == 1 then redis.call('DEL', KEYS[own]) else "
                          "redis.call('SET', KEYS[own], ARGV[1] .. ' ' .. (depth - 1), 'KEEPTTL') end return 1",
    "delete": SEEN + "if taken[1] then redis.call('DEL', KEYS[taken[1]]) end return 1",
    "extend": SEEN + "if taken[1] then redis.call('PEXPIRE', KEYS[taken[1]], ARGV[3]) end return 1",
}
SECONDS = 10  # of one unit of time


def serve_wire():
    sys.path.insert(0, str(HERE.parent / "wire" / "test_clients"))
    from raw_lock import Redis, main

    class Lock:
        def __init__(self, kind):
            self.redis, self.owner, self.tokens = Redis(), os.environ["LOCKKEEPER_CALLER"], {}

        def misbehave(self):
            return None

        def one_step(self, call, key):
            name, number = call.step()
            milliseconds = call.ttl * SECONDS * 1000
            if name == "look":
                self.redis.ask("GET", key + ":1")
                return True, False
            if name == "token":
                added = self.redis.ask("INCRBY", key + ":token", number)
                call.token = self.tokens[key] = FIRST_TOKEN + int(added[1:])
                return True, False
            if name == "register":
                return self.redis.ask("INCR", key + ":waiters") is not None, False
            if name == "waited-for":
                return self.redis.ask("GET", key + ":waiters") is not None, False
            if name == "ring":
                return self.redis.ask("RPUSH", key + ":bell", 1) is not None, False
            if name == "wait":
                return self.redis.ask("BLMOVE", key + ":bell", key + ":bell", "LEFT", "LEFT", 0) is not None, False
            if name == "put":
                number = call.slot
            begun = time.time()
            keys = [f"{key}:{slot + 1}" for slot in range(SLOTS)] + [key + ":token"]
            answer = self.redis.ask("EVAL", SCRIPTS[name], len(keys), *keys, self.owner, number or 0, milliseconds)
            well = answer != b":0"
            if name == "read":
                call.slot = int(answer[1:])
            if name == "again" and well:
                call.token = self.tokens.get(key)
            if name == "take-next" and well:
                call.token = self.tokens[key] = FIRST_TOKEN + int(answer[1:])
            if name in ("take", "take-next", "add", "put") and well and call.ttl:
                call.until = begun + (call.ttl + call.beyond) * SECONDS
            if name == "extend":
                call.until = begun + call.ttl * SECONDS
            return (True, well) if name == "again" else (well, False)

        def run(self, verb, key):
            call = Call(LOCKS[key], verb, self.owner)
            while call.word is None:
                call.go_on(*self.one_step(call, key))
            if call.word in ("failed", "unknown", "dies"):
                return "error " + call.word
            return (call.word + (f" until={call.until:.6f}" if call.until else "") +
                    (f" token={call.token}" if call.token else ""))

        def acquire(self, key): return self.run("acquire", key)
        def release(self, key): return self.run("release", key)
        def renew(self, key): return self.run("renew", key)

    main(Lock)


if __name__ == "__main__":
    serve_program() if sys.argv[1] == "program" else serve_wire()

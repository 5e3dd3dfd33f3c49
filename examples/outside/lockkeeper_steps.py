# SPDX-License-Identifier: Apache-2.0
"""What an operation may ask, at both levels: the half of lockkeeper_client.py that is about steps, to
be copied with it. Locks import lockkeeper_client alone."""

import copy
import inspect
import json
import os
import threading
import time
import types


class ProtocolError(Exception):
    """An answer "error": `code` says which."""

    def __init__(self, code, text=""):
        super().__init__(f"{code} {text}")
        self.code = code


Refused = ProtocolError(1000, "full")
NotHeld = ProtocolError(22, "not held")


@types.coroutine
def suspend(what):
    """Hands `what` to the server; gives what the server sends back."""
    return (yield what)


class State(dict):
    """What an atomic step sees, and leaves, under each of its keys; None: nothing is stored."""

    inside = threading.local()

    def __init__(self, keys, values):
        super().__init__({key: values.get(key) for key in keys})
        self.before, self.ends = copy.deepcopy(dict(self)), {}

    def __missing__(self, key): raise LookupError(f"{key!r} is no key of this atomic step")
    def get(self, key, default=None): return default if self[key] is None else self[key]
    def expire(self, key, ttl): self.ends[key] = {"ttl": ttl}

    def leave(self, function, *now):
        """What the function returned, or the ProtocolError that it raised; and its changes."""
        State.inside.now = True
        try:
            result = function(self, *now)
        except ProtocolError as error:
            return error, []
        finally:
            State.inside.now = False
        if inspect.isawaitable(result):
            raise TypeError("the function of an atomic step awaits nothing: no async def")
        for key in self.keys() - self.before.keys():
            self.__missing__(key)
        return result, [step for key in self.before for step in self.changes(key)]

    def changes(self, key):
        old, new, end = self.before[key], dict.get(self, key), self.ends.get(key, {})
        if json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True):
            return [{"type": "expire", "key": key, **end}] if end else []
        return [{"type": "delete", "key": key} if new is None else
                {"type": "write", "key": key, "value": new, **end}]


class Questions:
    """What an operation may ask. ttl=n: vanishes n ticks later; old=value: only if that is stored."""

    label = {}

    def __getattribute__(self, name):
        if getattr(State.inside, "now", False):
            raise TypeError(f"lock.{name} inside of an atomic step, which has only its state")
        return object.__getattribute__(self, name)

    def named(self, name):
        """The same; in reports its steps have this name: lock.named("is it free?").read("db")."""
        if not isinstance(name, str) or not 0 < len(name.encode()) <= 256:
            raise TypeError("the name of a step is no text of 1 to 256 bytes")
        other = copy.copy(self)
        other.label = {"name": name}
        return other

    async def atomic(self, keys, function, clock=False):
        """One step: function(state), or function(state, now), reads and changes what is stored under
        the keys. Gives what it returns. A ProtocolError that it raises undoes its changes."""
        def run(seen):
            now = [seen["now"]] if clock else []
            return State(keys, seen["values"]).leave(function, *now)

        result = await self.run_atomic(run, keys=[*keys], **({"clock": True} if clock else {}))
        if isinstance(result, ProtocolError):
            raise result
        return result

    # While `value` is stored (None: nothing is): then what is stored instead.
    async def wait_while(self, key, value): return await self.value("await", key=key, value=value)
    async def wait_until(self, key, condition):
        """Looks at what is stored, and again when that has changed, until condition(value)."""
        value = await self.read(key)
        while not condition(value):
            value = await self.wait_while(key, value)
        return value

    async def value(self, kind, absent=(), **body):
        body.update({"from": body.pop("old")} if "old" in body else {})
        try:
            return (await self.ask(kind, **body)).get("value", True)
        except ProtocolError as error:
            if error.code in absent:
                return None
            raise

    async def read(self, key): return await self.value("read", (20,), key=key)
    async def write(self, key, value, **ttl):
        return await self.value("write", key=key, value=value, **ttl)
    async def insert_new(self, key, value, **ttl):
        return await self.value("insert_new", (21,), key=key, value=value, **ttl)
    async def delete(self, key, **old): return await self.value("delete", (20, 22), key=key, **old)
    async def expire(self, key, ttl, **old):
        return await self.value("expire", (20, 22), key=key, ttl=ttl, **old)
    async def update_counter(self, key, add, **limits):
        return await self.value("update_counter", (20,), key=key, add=add, **limits)
    async def now(self, what=None): return await self.value("now", **({"what": what} if what else {}))
    async def access(self, what): await self.ask("access", what=what)
    async def send(self, to, message): await self.ask("send", to=to, message=message)
    async def receive(self, mailbox): return (await self.ask("receive", mailbox=mailbox))["message"]
    async def monitor(self, client, mailbox, message):
        await self.ask("monitor", client=client, mailbox=mailbox, message=message)

    # True when `old` (None: absent) was replaced by `new`.
    async def cas(self, key, old, new, **ttl):
        return bool(await self.value("cas", (20, 22), key=key, to=new, old=old,
                                     create_if_not_exists=old is None, **ttl))

    async def together(self, *parts):
        """All of these at once, as `together(lock.read("a"), lock.read("b"))`: their results. In
        blocking code they are functions without arguments, each of which gets a thread."""
        return await suspend(list(parts))


class Stepped(Questions):
    """Asks the harness, which answers when it is this operation's turn."""

    async def ask(self, kind, **body):
        json.dumps(body, allow_nan=False)  # what cannot be written fails here, where it is asked
        answer = await suspend({"type": kind, **body, **self.label})
        if answer["type"] == "error":
            raise ProtocolError(answer["code"], answer.get("text", ""))
        return answer

    async def run_atomic(self, run, **body):
        result, steps = run(await self.ask("atomic", **body))
        await suspend({"type": "commit", "steps": steps, "more": True})
        return result


class Local(Questions):
    """Keeps the store here. Before each access others may run, as they would between two steps."""

    store, path, alone = {}, None, threading.Lock()  # store: by key, (value, its end or None)

    async def ask(self, kind, **body):
        json.dumps(body, allow_nan=False)
        answer = None
        while answer is None:
            await suspend(None)
            with Local.alone:
                answer = self.access_store(kind, **body)
            time.sleep(0.001 if answer is None else 0)
        return answer

    async def run_atomic(self, run, keys, clock=False):
        await suspend(None)
        with Local.alone:
            now = self.access_store("now")["value"]
            result, steps = run({"values": {key: Local.store[key][0] for key in keys
                                            if key in Local.store}, "now": now})
            for step in steps:
                self.access_store(step.pop("type"), **step)
        return result

    @staticmethod
    def access_store(kind, key=None, value=None, add=0, least=float("-inf"), most=float("inf"),
                     to=None, create_if_not_exists=False, ttl=None, **more):
        now = time.monotonic_ns() // 1_000_000
        store = Local.store = {name: (kept, end) for name, (kept, end) in Local.store.items()
                               if end is None or end > now}
        known, (found, end) = key in store, store.get(key, (None, None))
        if kind == "await":
            return {"value": found} if found != value else None
        if kind in ("now", "access", "monitor"):  # callers do not die at this level
            return {"value": now}
        if kind in ("send", "receive"):
            raise ProtocolError(10, "no messages at this level")
        if known if kind == "insert_new" else not (known or kind == "write" or create_if_not_exists):
            raise ProtocolError(21 if known else 20)
        if kind == "read":
            return {"value": found}
        if known and more.get("from", found) != found:
            raise ProtocolError(22)
        value = {"cas": to, "expire": found}.get(kind, value)
        if kind == "update_counter":
            value = min(max((found or 0) + add, least), most)
        end = end if kind == "update_counter" else now + ttl if ttl else None
        store[key] = (value, end)
        if kind == "delete":
            del store[key]
        if Local.path:  # written beside and renamed: a crash leaves the old one or the new one
            with open(Local.path + ".new", "w", encoding="utf-8") as file:
                json.dump(store, file)
            os.rename(Local.path + ".new", Local.path)
        return {"value": value} if kind == "update_counter" else {}

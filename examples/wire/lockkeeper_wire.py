# SPDX-License-Identifier: Apache-2.0
"""Puts a lock's own Python client under `lockkeeper validate --wire` (docs/howto/test_unmodified_clients.md).

    from lockkeeper_wire import serve
    serve(setup)
    serve(setup, prepare)

`prepare()` is called once, on an empty server: what it makes (a schema, a queue, a migration) is there
whenever a run begins.
`setup(key)` makes a fresh client and returns its operations by name: {"acquire": f, "release": f}.
An operation that returns False is refused, for a release or a renewal: lost. A number (no bool) is
the moment, as time.time() has it, until which the lock is held. A datetime.timedelta: how long it
is held from now on, by time.monotonic(). An exception whose name ends in
LockNotOwnedError or LockError says of a release that the lock is lost; any other is an error.
{"until": ..., "for": ..., "token": ...} says more: `for` in seconds, the token a whole number.
A release that does not say whether it was in time returns "done".
An operation with a number in the script is given it where it takes an argument, and the weight of
a call (3 of 10 permits) where an argument is named `weight`: 1 where the script says none. An acquire
without that argument is not asked for a weight above 1: the answer is "unsupported". For a call that
asks for several keys at once `setup` is given a list of them.
Where `setup` takes a second argument, that is a function to call, at any time and in any thread, when
a watchdog sees that the lock is lost.
"""

import datetime
import encodings.idna  # noqa: F401  each connection needs it: once, and not in each forked child
import gc
import inspect
import os
import random
import sys

_LOST = ("LockNotOwnedError", "LockError")


def _names_of(operation):
    try:
        return set(inspect.signature(operation).parameters)
    except ValueError:  # a function of C that does not say
        return set()


def _with_arguments(operation, number, weight):
    names = _names_of(operation)
    numbers = [number] if number is not None and names - {"weight"} else []
    weights = {"weight": weight} if "weight" in names else {}
    return lambda: operation(*numbers, **weights)


class Driver:
    def __init__(self, setup, prepare):
        self.setup = setup
        self.prepare = prepare
        self.tells_loss = len(inspect.signature(setup).parameters) > 1
        self.locks = {}
        self.pending = b""
        # What the client prints is not an answer.
        self.out = os.dup(1)
        os.dup2(2, 1)

    def say(self, line):
        os.write(self.out, (line + "\n").encode())

    def read(self):
        while b"\n" not in self.pending:
            more = os.read(0, 65536)
            if not more:
                return None
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode()

    def operation(self, word, key, *more):
        """`more`: "5", the script's number, "with=b,c", other keys, and "weight=3", where there are any."""
        if word == "prepare" and self.prepare:
            return self.answer(word, self.prepare)
        named = dict(part.split("=", 1) for part in more if "=" in part)
        number = next((int(part) for part in more if "=" not in part), None)
        keys = (key, *named["with"].split(",")) if "with" in named else (key,)
        if keys not in self.locks:
            lost = [lambda: self.say(f"! lost {key}")] if self.tells_loss else []
            self.locks[keys] = self.setup(list(keys) if len(keys) > 1 else key, *lost)
        operation = self.locks[keys].get(word)
        weight = int(named.get("weight", 1))
        if operation is None or (word == "acquire" and weight > 1 and "weight" not in _names_of(operation)):
            return "unsupported"
        return self.answer(word, _with_arguments(operation, number, weight))

    def answer(self, word, operation):
        try:
            result = operation()
        except Exception as error:  # an answer, whatever it is
            if type(error).__name__ in _LOST and word != "acquire":
                return f"lost {error}".replace("\n", " ")
            return f"error {type(error).__name__}: {error}".replace("\n", " ")
        if result == "done":
            return "done"
        if result is False:
            return "refused" if word == "acquire" else "lost"
        says = result if isinstance(result, dict) else {}
        if isinstance(result, (int, float)) and not isinstance(result, bool):
            says = {"until": result}
        if isinstance(result, datetime.timedelta):
            says = {"for": result.total_seconds()}
        return "ok" + "".join(
            f" {name}={says[name]:{form}}"
            for name, form in (("until", ".6f"), ("for", ".6f"), ("token", "d"))
            if says.get(name) is not None
        )

    def reset(self):
        self.locks.clear()
        gc.collect()  # what they give back when they go belongs to no later run
        random.seed(1)
        self.say("ready")

    def loop(self):
        while True:
            line = self.read()
            if line is None:
                return
            word, *rest = line.split()
            if word == "reset":
                self.reset()
            elif word == "fork":
                gc.freeze()  # so that no child copies what is there already only to look at it
                child = os.fork()
                if child == 0:
                    self.reset()
                else:
                    os.waitpid(child, 0)
            else:
                self.say(self.operation(word, *(rest or [""])))


def serve(setup, prepare=None):
    driver = Driver(setup, prepare)
    driver.say("ready reset fork prepare" if prepare else "ready reset fork")
    driver.loop()

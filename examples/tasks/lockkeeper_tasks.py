# SPDX-License-Identifier: Apache-2.0
"""An event loop whose choices Lockkeeper makes, for `lockkeeper validate --tasks`: unmodified
asyncio code, whose callers are tasks of one process. Copy it, lockkeeper_loop.py and lockkeeper_client.py to a project.

    from lockkeeper_tasks import serve
    async def acquire(lock, op): await lock.acquire()
    async def release(lock, op): lock.release()
    serve(setup=lambda key: asyncio.Semaphore(1), acquire=acquire, release=release)

Import this file before the code under test: it sets the clocks of `time`. `setup(key)` makes the lock, in each run
anew; it may be an `async def`. Each operation is a function (lock, op): `op` is the message's body, `op["client"]`
the caller, `op["mine"]` a dictionary that the caller keeps, as for its connection. What the function returns is the
answer, as in lockkeeper_client.py; a call that is cancelled or timed out did not happen, a release that is cancelled
has happened. A caller goes through its calls in one task, whose name is the caller's.

What asyncio promises is kept (--promises strict): callbacks of call_soon run in the order in which they were
registered. What is not promised is chosen: when a caller begins its next call, when a stand-in for a connection
answers (`outside`), when a timer fires (those that are due earlier come first), and when a caller is cancelled. All
of these come from outside: the loop hears of them where it polls, when all callbacks have run that were ready at the
last poll, and puts them behind those that have become ready since; a cancellation that hits no call, which has not
begun or has ended, is `missed`. A caller whose call has ended may also begin the next one at once, in the same step.
With --promises any, any ready callback may run, and the loop polls after each. There are no threads, sockets, real
time: `outside` stands for what takes time.
"""

import _thread
import asyncio
import contextlib
import functools
import gc
import inspect
import json
import os
import random
import signal
import sys
import threading

import lockkeeper_loop
from lockkeeper_client import NotHeld, ProtocolError, Refused, answer_to, is_mistake, told_mistake  # noqa: F401
from lockkeeper_loop import BEGINNING, NO_THREADS, SERVERS, Loop, Task, cut, outside, refuse  # noqa: F401


ANSWER = {"until": int, "token": int, "count": int, "done": bool}


def checked(kind, answer):
    """What an operation returned. What looks like a refusal, or like a call that nobody made, would count as granted."""
    is_unused = (inspect.isgenerator(answer) or inspect.isasyncgen(answer) or inspect.iscoroutinefunction(answer) or
                 isinstance(answer, contextlib._GeneratorContextManagerBase))
    if is_unused or (answer is False and kind != "release"):
        raise TypeError(f"{kind} returned {repr(answer)[:60]}, which is no answer: " +
                        ("nobody awaited or entered it" if is_unused else "a refusal is `raise Refused`"))
    if not isinstance(answer, dict):
        return None
    if any(type(value) is not ANSWER.get(key) for key, value in answer.items()):
        raise TypeError(f"{kind} returned {repr(answer)[:60]}, which is no answer: an answer has whole numbers `until`, `token` and "
                        "`count`, or `done`; if this is none, return nothing")
    return answer


class Caller:
    def __init__(self, server, name):
        self.server, self.name, self.op, self.mine = server, name, None, {}
        self.next, self.cancelled, self.has_begun = None, False, False
        self.task = Task(self.live(), loop=server.loop, name=name)  # whatever the loop's factory is
        server.loop.run_last()

    def begin(self, op):
        """Its task is woken as all tasks are: something from outside has its turn, and makes the
        task ready. At once: within the step of the task in which its last call has ended."""
        self.op, self.cancelled, self.has_begun = op, False, False
        if op.get("at_once") and not self.next.done():
            self.next.set_result(None)
            self.server.loop.run_last()
        else:
            self.server.loop.put(self.wake)

    def name_of(self, callback): return self.name + (" is woken" if callback == self.wake else " is cancelled")
    def wake(self):  # not while the task has cancelled itself, nor for a call that was cancelled before it began
        if self.op is not None and not self.has_begun:
            self.server.loop.put(self.wake) if self.next.done() else self.next.set_result(None)

    def is_cancellable(self): return self.op is not None and self.next.done()
    def cancel(self): self.server.loop.put(functools.partial(self.cancel_now, self.op))
    def cancel_now(self, op):
        if self.op is not op or not self.has_begun:
            return self.server.missed.append(self.name)
        self.cancelled = True
        self.task.cancel()

    async def live(self):
        while True:
            self.next = self.server.loop.create_future()
            try:
                await self.next
                self.has_begun = True
                answer = await self.call(self.op)
            except asyncio.CancelledError:
                if self.op is None:  # it came too late for the call, and hits nobody
                    self.task.uncancel()
                    continue
                answer = self.unfinished("cancelled" if self.cancelled else "cancelled by nobody")
            except asyncio.TimeoutError:
                answer = self.unfinished("timed out")
            except ProtocolError as error:
                answer = error
            except Exception as error:
                self.server.fail(error)
            while self.task.cancelling():
                self.task.uncancel()
            op, self.op = self.op, None
            self.server.ended(self.name, op, answer)

    async def call(self, op):
        function, lock = self.server.operations[op["type"]], self.server.locks[op["key"]]
        answer = function(lock, {**op, "client": self.name, "mine": self.mine})
        return checked(op["type"], await answer if inspect.isawaitable(answer) else answer)

    def unfinished(self, why):
        return {"done": True} if self.op["type"] == "release" else ProtocolError(14, why)


class Server:
    files = (__file__, lockkeeper_loop.__file__)  # no mistake is made there

    def __init__(self, setup, operations, parameters):
        self.setup, self.operations = setup, operations
        self.parameters, self.strict, self.keys, self.count = parameters, True, [], 0
        self.loop, self.locks, self.callers, self.lines, self.ended_now, self.missed = None, {}, {}, [], [], []
        self.refused, self.said = None, None
        self.input, self.out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # what the code under test prints is no message, and it reads none
        self.leave(0)
        os.register_at_fork(after_in_child=lambda: self.leave(self.input.fileno(), self.out.fileno()))

    @staticmethod
    def leave(*files):
        for file in files:
            os.dup2(os.open(os.devnull, os.O_RDWR), file)

    def write(self, dest, **body):
        self.lines.append(json.dumps({"src": "n1", "dest": dest, "body": body}) + "\n")

    def flush(self):
        print("".join(self.lines), end="", file=self.out, flush=True)
        self.lines = []

    def init(self, body):
        if body["level"] != "tasks":
            return self.write("harness", type="error", in_reply_to=body["msg_id"], code=10,
                              text="this driver is for --tasks")
        self.strict, self.keys = body.get("promises") != "any", body["keys"]
        self.parameters.update(body["parameters"])
        if _thread._count() > 0:  # it would wake a task at any moment
            names = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
            self.fail(NotImplementedError("before serve() a thread was started that still runs: " +
                                          (", ".join(names) or "it has no name") +
                                          "; stop it first, also if it only waits; " + NO_THREADS))
        threading.Thread.start = _thread.start_new_thread = refuse
        # None was set before, so that switching one off does nothing.
        signal.alarm = lambda seconds: refuse() if seconds else 0
        signal.setitimer = lambda which, seconds, interval=0.0: refuse() if seconds else (0.0, 0.0)
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection would run code at a moment that nobody chooses
        self.write("harness", type="init_ok", in_reply_to=body["msg_id"], tasks=1)

    def reset(self):
        self.callers, self.locks, self.ended_now, self.missed = {}, {}, [], []
        if self.loop is not None:
            self.loop.is_over, self.loop = True, None
            gc.collect()  # ends what is left of the last run, in the loop of that run
        random.seed(1)
        self.loop = Loop(self.strict)
        self.loop.start()
        for key in self.keys:
            self.loop.run_until(Task(self.make(key), loop=self.loop, name="setup"))

    async def make(self, key):
        lock = self.setup(key)
        self.locks[key] = await lock if inspect.iscoroutine(lock) else lock

    def say_choices(self):
        if self.refused:
            self.fail(self.refused)
        self.count += 1
        choices, hears = self.loop.choices(), self.loop.hears()
        if hears:
            choices += [{"do": "cancel", "client": name}
                        for name, caller in self.callers.items() if caller.is_cancellable()]
        begin = {} if hears else {"begin": []}
        if self.loop.did:
            begin["did"], self.loop.did = cut(", ".join(self.loop.did)), []
        # Where nothing is ready, it makes no difference.
        if self.ended_now and any(each["do"] == "run" for each in choices):
            begin["at_once"] = self.ended_now
        begin |= {"missed": self.missed} if self.missed else {}
        self.write("harness", type="choices", msg_id=self.count, of=choices, **begin,
                   time=int((self.loop.now - BEGINNING) * 1_000))
        self.ended_now, self.missed = [], []

    def ended(self, client, op, answer):
        self.ended_now.append(client)
        self.loop.ends += 1
        try:
            self.write(client, **answer_to(op["type"], op["msg_id"], answer))
        except (TypeError, ValueError) as error:
            self.fail(error)

    def handle(self, src, body):
        kind = body["type"]
        if kind == "init":
            return self.init(body)
        if self.loop and self.said != self.loop.size():
            self.fail(NotImplementedError("a handler of a signal has changed what is ready; " + NO_THREADS))
        if kind == "reset":
            self.reset()
            self.write("harness", type="reset_ok", in_reply_to=body["msg_id"])
        elif kind == "choices_ok" and body["do"] == "cancel":
            self.callers[body["client"]].cancel()
        elif kind == "choices_ok":
            self.loop.do(body["do"], body["id"])
        elif kind in self.operations:
            if src not in self.callers:
                self.callers[src] = Caller(self, src)
            self.callers[src].begin(body)
        else:
            self.write(src, type="error", in_reply_to=body["msg_id"], code=10, text=kind)
        self.say_choices()
        self.said = self.loop.size()

    def listen(self):
        for line in self.input:
            message = json.loads(line.decode())
            self.handle(message["src"], message["body"])
            self.flush()

    def fail(self, error):
        """The driver, or the code under test, has raised what is no answer: the program ends."""
        try:
            sys.excepthook(type(error), error, error.__traceback__)
            if is_mistake(error):
                self.lines = []
                self.write("harness", **told_mistake(error, "the driver", *self.files))
                self.flush()
            sys.stderr.flush()
        finally:
            os._exit(1)  # also where nobody reads any more


def serve_with(server):
    SERVERS.append(server)
    try:
        server.listen()
    except Exception as error:
        server.fail(error)
    os._exit(0)  # what is left does not run


def serve(setup, parameters=None, **operations):
    """Until stdin ends. `parameters`: a dictionary that gets the scenario's numbers."""
    serve_with(Server(setup, operations, {} if parameters is None else parameters))

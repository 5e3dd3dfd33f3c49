# SPDX-License-Identifier: Apache-2.0
"""An event loop whose choices Lockkeeper makes, for `lockkeeper validate --tasks`: unmodified
asyncio code, whose callers are tasks of one process. Copy it, and lockkeeper_client.py, to a project.

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

import asyncio
import collections
import functools
import gc
import inspect
import itertools
import json
import os
import random
import re
import sys
import threading
import time

from lockkeeper_client import NotHeld, ProtocolError, Refused, answer_to, is_mistake, told_mistake  # noqa: F401

BEGINNING = 1_000.0  # of the loop's clock, in seconds: no time that a library takes for "never"
NO_THREADS = ("this loop has no sockets, processes and threads: give the code under test a stand-in "
              "that awaits lockkeeper_tasks.outside(...)")
SERVERS = []


def cut(name): return name.encode("ascii", "replace").decode()[:200] or "?"


def name_of_task(task):
    name = task.get_name()
    return task.get_coro().__qualname__ if re.fullmatch(r"Task-\d+", name) else name


def name_of_callback(callback):
    while isinstance(callback, functools.partial):
        if callback.func is Loop.answer:
            return callback.args[0]
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, Caller):
        return owner.name + (" is woken" if callback.__name__ == "wake" else " is cancelled")
    if isinstance(owner, asyncio.Task):
        return name_of_task(owner) + " goes on"
    return getattr(callback, "__qualname__", type(callback).__name__)


class Loop(asyncio.BaseEventLoop):
    """Does one thing at a time, when it is told to."""

    def __init__(self, strict):
        super().__init__()
        self.strict, self.now, self.numbers = strict, BEGINNING, itertools.count()
        self.is_over, self.did, self.ends = False, [], 0  # ends: of calls, since the run began
        self.round = collections.deque()  # ready when this round of the loop began; the rest: _ready
        self.timers = []                  # (when, number, handle, who asked for it)
        self.waiting = {}                 # by number: (future, name, exception), for `outside`
        self._thread_id = threading.get_ident()  # it is running

    def call_soon_threadsafe(self, *args, **named):
        if threading.get_ident() != self._thread_id:
            SERVERS[0].fail(NotImplementedError(NO_THREADS))
        return self.call_soon(*args, **named)
    def __del__(self): pass
    def _write_to_self(self): pass
    def time(self): return self.now
    def call_later(self, delay, callback, *args, context=None):
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(self, when, callback, *args, context=None):
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        task = asyncio.current_task(self)
        self.timers.append((when, next(self.numbers), handle, task and name_of_task(task)))
        return handle

    def _refuse(self, *args, **named):
        raise NotImplementedError(NO_THREADS)

    create_connection = create_server = create_unix_connection = create_datagram_endpoint = _refuse
    add_reader = add_writer = remove_reader = remove_writer = subprocess_exec = _refuse
    sock_recv = sock_sendall = sock_connect = subprocess_shell = run_in_executor = _refuse

    def call_exception_handler(self, context):
        if not self.is_over:
            print(context.get("message"), repr(context.get("exception")), file=sys.stderr)

    def due(self):
        """The timers that are due first, in the order in which they were asked for."""
        self.timers = [each for each in self.timers if not each[2].cancelled()]
        first = min((each[0] for each in self.timers), default=0)
        return [each for each in self.timers if each[0] == first]

    def ready(self):
        """The callbacks of which the next one is chosen."""
        for queue in (self.round, self._ready):
            while queue and queue[0].cancelled():
                queue.popleft()
            if queue and self.strict:
                return [queue[0]]
        return [handle for handle in (*self.round, *self._ready) if not handle.cancelled()]

    def put(self, callback, *args):
        """What comes from outside is ready behind all that is ready."""
        self._ready.append(asyncio.Handle(callback, args, self))

    def open_outside(self):
        self.waiting = {n: each for n, each in self.waiting.items() if not each[0].done()}
        return self.waiting

    def hears(self): return not (self.strict and self.round)  # polls: what is outside may come next

    def choices(self):
        out = [{"do": "run", "id": place, "name": cut(name_of_callback(handle._callback))}
               for place, handle in enumerate(self.ready())]
        if self.strict and self.round:
            out[0]["name"] = "the round goes on"
        if not self.hears():
            return out
        for number, (_, name, exception) in self.open_outside().items():
            out.append({"do": "arrive", "id": number, "name": cut(name + ": arrives")})
            if exception is not None:
                out.append({"do": "fail", "id": number, "name": cut(name + ": fails")})
        for place, (when, _, handle, who) in enumerate(self.due()):
            name = name_of_callback(handle._callback) + (f" for {who}" if who else "")
            out.append({"do": "timer", "id": place, "name": cut("timer: " + name), "due": when <= self.now})
        return out

    def do(self, what, number):
        if what == "run":
            self.run_ready(self.ready()[number])
        elif what == "timer":
            when, _, handle, _ = each = self.due()[number]
            self.timers.remove(each)
            self.now = max(self.now, when)
            self._ready.append(handle)
        else:
            future, name, exception = self.open_outside().pop(number)
            self.put(functools.partial(self.answer, name), future,
                     exception if what == "fail" else None)

    @staticmethod
    def answer(_, future, exception):
        if not future.done():
            future.set_exception(exception) if exception else future.set_result(None)

    def run_ready(self, handle):
        """Where orders are kept, up to the end of the round, or of a call: there is no choice."""
        if not self.round:
            self.round, self._ready = self._ready, self.round
        ends = self.ends
        while handle is not None:
            self.did.append(name_of_callback(handle._callback))
            (self.round if handle in self.round else self._ready).remove(handle)
            handle._run()
            goes_on = self.strict and self.round and ends == self.ends
            handle = next(iter(self.ready()), None) if goes_on else None

    def run_last(self): self._ready.pop()._run()  # at once, what has just become ready

    def run_until(self, task):
        """Without choices."""
        while not task.done():
            possible = self.choices() if self.hears() else [{"do": "run", "id": 0}]
            if not possible:
                raise RuntimeError("setup waits for ever")
            self.do(possible[0]["do"], possible[0]["id"])
        return task.result()


async def outside(name, fails=None):
    """Waits for something from outside, as the reply of a server: it comes when Lockkeeper chooses.
    `fails`: the exception that is raised where Lockkeeper chooses that it fails."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.waiting[next(loop.numbers) % 65_000] = (future, name, fails)
    await future


class Caller:
    def __init__(self, server, name):
        self.server, self.name, self.op, self.mine = server, name, None, {}
        self.next, self.cancelled, self.has_begun = None, False, False
        self.task = server.loop.create_task(self.live(), name=name)
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

    def wake(self):  # not while the task has cancelled itself
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
        answer = await answer if inspect.isawaitable(answer) else answer
        return answer if isinstance(answer, dict) else None

    def unfinished(self, why):
        return {"done": True} if self.op["type"] == "release" else ProtocolError(14, why)


class Server:
    files = (__file__,)  # no mistake is made there

    def __init__(self, setup, operations, parameters):
        self.setup, self.operations = setup, operations
        self.parameters, self.strict, self.keys, self.count = parameters, True, [], 0
        self.loop, self.locks, self.callers, self.lines, self.ended_now, self.missed = None, {}, {}, [], [], []
        self.out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # what the code under test prints is no message

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
        threading.Thread.start = Loop._refuse  # it would end, or wake a task, at any moment
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
        asyncio.set_event_loop(self.loop)
        asyncio._set_running_loop(self.loop)
        for key in self.keys:
            self.loop.run_until(self.loop.create_task(self.make(key), name="setup"))

    async def make(self, key):
        lock = self.setup(key)
        self.locks[key] = await lock if inspect.iscoroutine(lock) else lock

    def say_choices(self):
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

    def listen(self):
        for line in sys.stdin.buffer:
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


def set_clocks():
    """Libraries take `time.monotonic` and the like when they are imported."""
    def now(ahead, scale):
        def read():
            loop = SERVERS[0].loop if SERVERS else None
            return type(scale)((BEGINNING if loop is None else loop.now) * scale) + ahead * scale
        return read

    def sleep(seconds):
        SERVERS[0].loop.now += seconds  # it blocks the loop; the clock goes on

    time.monotonic = time.perf_counter = now(0, 1.0)
    time.monotonic_ns = time.perf_counter_ns = now(0, 1_000_000_000)
    time.time, time.time_ns = now(1_700_000_000, 1.0), now(1_700_000_000, 1_000_000_000)
    time.sleep = sleep


set_clocks()


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

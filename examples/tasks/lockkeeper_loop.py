# SPDX-License-Identifier: Apache-2.0
"""The event loop of lockkeeper_tasks.py: it does one thing at a time, when it is told to. No driver imports it itself.

Its clock goes on when a timer fires. It has no sockets, processes and threads. Futures and tasks have numbers in the
place of their addresses, so that sets of them have the same order in each run."""

import asyncio
import collections
import functools
import inspect
import itertools
import re
import sys
import threading
import time

BEGINNING = 1_000.0  # of the loop's clock, in seconds: no time that a library takes for "never"
NO_THREADS = ("there are no threads, sockets and processes here: give the code under test a stand-in that awaits "
              "outside(...)")
SERVERS = []


def cut(name): return name.encode("ascii", "replace").decode()[:200] or "?"


def name_of_task(task):
    name = task.get_name()
    return getattr(task.get_coro(), "__qualname__", "a task") if re.fullmatch(r"Task-\d+", name) else name


def name_of_callback(callback):
    while isinstance(callback, functools.partial):
        if callback.func is Loop.answer:
            return callback.args[0]
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    if hasattr(owner, "name_of"):  # a caller
        return owner.name_of(callback)
    if isinstance(owner, asyncio.Task):
        return name_of_task(owner) + " goes on"
    return getattr(callback, "__qualname__", type(callback).__name__)


class Future(asyncio.Future):
    def __init__(self, *, loop):
        self.number = next(loop.births)
        super().__init__(loop=loop)

    def __hash__(self): return self.number


class Task(asyncio.Task):
    def __init__(self, coro, *, loop, **named):
        self.number = next(loop.births)
        super().__init__(coro, loop=loop, **named)

    def __hash__(self): return self.number


class Loop(asyncio.BaseEventLoop):

    def __init__(self, strict):
        super().__init__()
        self.strict, self.now, self.numbers, self.births = strict, BEGINNING, itertools.count(), itertools.count()
        self.is_over, self.did, self.ends = False, [], 0  # ends: of calls, since the run began
        self.round = collections.deque()  # ready when this round of the loop began; the rest: _ready
        self.timers = []                  # (when, number, handle, who asked for it)
        self.waiting = {}                 # by number: (future, name, exception), for `outside`
        self._thread_id = threading.get_ident()  # it is running
        self.set_task_factory(lambda loop, coro, **named: Task(coro, loop=loop, **named))

    def start(self):
        """Abandoned asynchronous generators are closed by a task of this loop."""
        asyncio.set_event_loop(self)
        asyncio._set_running_loop(self)
        sys.set_asyncgen_hooks(self._asyncgen_firstiter_hook, self._asyncgen_finalizer_hook)

    def _asyncgen_finalizer_hook(self, generator):
        if not self.is_over:
            super()._asyncgen_finalizer_hook(generator)

    def call_soon_threadsafe(self, *args, **named):
        if threading.get_ident() != self._thread_id:
            SERVERS[0].fail(NotImplementedError(NO_THREADS))
        return self.call_soon(*args, **named)
    def __del__(self): pass
    def _write_to_self(self): pass
    def create_future(self): return Future(loop=self)
    def time(self): return self.now
    def call_later(self, delay, callback, *args, context=None):
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(self, when, callback, *args, context=None):
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        task = asyncio.current_task(self)
        self.timers.append((when, next(self.numbers), handle, task and name_of_task(task)))
        return handle

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

    def size(self): return len(self._ready), len(self.timers)
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


def refuse(*_, **__):
    """The code under test may catch it: then the server says so at the end of the step."""
    SERVERS[0].refused = SERVERS[0].refused or NotImplementedError(NO_THREADS)
    raise SERVERS[0].refused


# Not the handlers of signals: code for every system does without them.
REFUSED = re.compile("sock_|connect_|subprocess_|add_(reader|writer)|start_tls|sendfile|run_in_executor|"
                     "create_(?!future|task)")
for name in filter(REFUSED.match, vars(asyncio.AbstractEventLoop)):
    setattr(Loop, name, refuse)
Loop.remove_reader = Loop.remove_writer = lambda loop, file: False  # none was added


async def outside(name, fails=None):
    """Waits for something from outside, as the reply of a server: it comes when Lockkeeper chooses.
    `fails`: the exception that is raised where Lockkeeper chooses that it fails."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    loop.waiting[next(loop.numbers) % 65_000] = (future, name, fails)
    await future


def set_clocks():
    """Libraries take `time.monotonic` and the like when they are imported."""
    def now(ahead, scale):
        def read():
            loop = SERVERS[0].loop if SERVERS else None
            return type(scale)((BEGINNING if loop is None else loop.now) * scale) + ahead * scale
        return read

    def sleep(seconds, really=time.sleep):
        if not SERVERS or SERVERS[0].loop is None:
            return really(seconds)
        SERVERS[0].loop.now += seconds  # it blocks the loop; the clock goes on

    time.monotonic = time.perf_counter = now(0, 1.0)
    time.monotonic_ns = time.perf_counter_ns = now(0, 1_000_000_000)
    time.time, time.time_ns = now(1_700_000_000, 1.0), now(1_700_000_000, 1_000_000_000)
    time.sleep = sleep


set_clocks()



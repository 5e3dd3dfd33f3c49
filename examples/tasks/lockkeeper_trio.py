# SPDX-License-Identifier: Apache-2.0
"""Trio's scheduler, whose choices Lockkeeper makes: `lockkeeper validate --tasks` with unmodified trio code. Copy it,
lockkeeper_tasks.py, lockkeeper_loop.py and lockkeeper_client.py to a project.

    from lockkeeper_trio import serve

    async def acquire(lock, op): await lock.acquire()
    async def release(lock, op): lock.release()
    serve(setup=lambda key: trio.Lock(), acquire=acquire, release=release)

Drivers are written as for lockkeeper_tasks.py: import this file before the code under test. A call that raises trio.TooSlowError has timed out.

Trio runs tasks in batches: all that are ready when a batch begins, in an order that trio does not promise, and draws.
That order is chosen here. Deadlines, cancellations of callers, replies (`outside`) and new calls come between two
batches; a caller whose call has ended may begin the next one within the same step. With --promises any there are no
batches: any ready task may be next. Time is virtual, and goes on to the next deadline when that is chosen. Deadlines
pass one by one, but for those that are equal to the last digit: trio has them pass together.

An instrument and a clock of trio's own (trio.abc) are all of this, but for two names: the number generator that trio
draws the order from (as pytest-trio sets it), and the queue of ready tasks. Tried with trio 0.22. No threads, no sockets.
"""

import gc
import inspect
import itertools
import json
import math
import os
import random
import sys

from lockkeeper_tasks import BEGINNING, SERVERS, ProtocolError, Server, checked, cut, refuse, serve_with
from lockkeeper_tasks import NotHeld, Refused  # noqa: F401  for drivers

import trio  # behind lockkeeper_tasks, which sets the clocks
import trio._core._run as scheduler

STEP = 1e-7  # seconds that a step takes: deadlines of the same length are due in the order in which they were set
STEPS_TOGETHER = 100  # deadlines of the same length that were set within so many steps are due at one moment
STEPS_ALONE = 10_000  # of setup, and of cancelled tasks that do not end
POLLS_ALONE = 300


inspect.unwrap(trio.to_thread.run_sync).__globals__["start_thread_soon"] = refuse  # for whoever has imported it
trio.to_thread.run_sync = refuse


class Abandoned(Exception):
    """Tasks that shield themselves do not end with their run."""


class Clock(trio.abc.Clock):
    def __init__(self, run): self.run = run
    def start_clock(self): pass

    def current_time(self):
        if self.run.is_abandoned:
            raise Abandoned
        return self.run.now

    def deadline_to_sleep_time(self, deadline): return 0  # it never sleeps


class Run(trio.abc.Instrument):
    """From a reset to the next."""

    def __init__(self, server):
        self.server, self.strict, self.now = server, server.strict, BEGINNING
        self.did, self.ends = [], 0
        self.numbers, self.number = itertools.count(), {}   # of a task: the place of its birth
        self.ready, self.batch, self.chosen = set(), [], None
        self.waiting = {}                                   # by number: (task, name, exception), for `outside`
        self.nursery, self.is_made, self.is_set_up, self.is_over = None, False, False, False
        self.last, self.steps, self.polls, self.is_abandoned = None, 0, 0, False

    async def main(self):
        async with trio.open_nursery() as self.nursery:
            for key in self.server.keys:
                lock = self.server.setup(key)
                self.server.locks[key] = await lock if inspect.iscoroutine(lock) else lock
            self.is_made = True
            await trio.sleep_forever()

    # What trio tells an instrument.

    def task_spawned(self, task): self.number[task] = next(self.numbers)
    def task_scheduled(self, task): self.ready.add(task)
    def task_exited(self, task): self.number.pop(task, None)

    def before_task_step(self, task):
        self.ready.discard(task)
        if self.is_choosing():
            self.did.append(task.name + " goes on")
            self.now += min(STEP, max(0.0, self.seconds_left()) / 64)  # a deadline passes only when it is chosen

    def before_io_wait(self, _timeout):
        try:
            self.between_steps()
        except BaseException as error:  # trio would switch the instrument off, and go on
            self.server.fail(error)

    def between_steps(self):
        statistics = trio.lowlevel.current_statistics()
        if not self.is_over:
            self.refuse_sockets(statistics.io_statistics)
        self.is_set_up = self.is_set_up or (self.is_made and not self.ready)
        if not self.is_choosing():
            self.go_on_alone()
        elif self.ready or statistics.run_sync_soon_queue_size == 0:  # else trio hears of it when it polls
            self.server.turn()

    @staticmethod
    def refuse_sockets(waits):
        """One task of trio's own waits to read: it wakes trio for signals and threads."""
        readers = getattr(waits, "tasks_waiting_read", getattr(waits, "tasks_waiting", 0))
        if readers > 1 or getattr(waits, "tasks_waiting_write", 0) > 0:
            refuse()

    def is_choosing(self):
        return self.is_set_up and not self.is_over

    def go_on_alone(self):
        self.steps += 1
        self.polls = 0 if self.ready else self.polls + 1
        if not self.ready and self.has_deadline():
            self.pass_time()
        elif self.steps > STEPS_ALONE or self.polls > POLLS_ALONE:
            if not self.is_over:
                self.server.fail(RuntimeError("setup waits for ever"))
            self.is_abandoned = True

    def shuffle(self, batch):
        """In the place of trio's number generator: what is not to run yet is put back."""
        if not self.is_choosing():
            return batch.sort(key=self.number.get, reverse=True)
        queue = scheduler.GLOBAL_RUN_CONTEXT.runner.runq
        queue.extend(task for task in batch if task is not self.chosen)
        batch[:] = [task for task in batch if task is self.chosen]
        self.chosen = None

    # What may happen next.

    def seconds_left(self): return trio.lowlevel.current_statistics().seconds_to_next_deadline
    def has_deadline(self): return self.seconds_left() != math.inf

    def pass_time(self):
        self.now += max(0.0, self.seconds_left())
        while self.seconds_left() > 0:  # in floating point the sum may fall short
            self.now = math.nextafter(self.now, math.inf)

    def hears(self): return not (self.strict and self.batch)
    def possible(self): return self.batch if self.strict and self.batch else sorted(self.ready, key=self.number.get)

    def choices(self):
        self.batch = [task for task in self.batch if task in self.ready]
        out = [{"do": "run", "id": place, "name": cut(task.name + " goes on")}
               for place, task in enumerate(self.possible())]
        if not self.hears():
            return out
        for number, (_, name, exception) in self.waiting.items():
            out.append({"do": "arrive", "id": number, "name": cut(name + ": arrives")})
            if exception is not None:
                out.append({"do": "fail", "id": number, "name": cut(name + ": fails")})
        if self.has_deadline():
            out.append({"do": "timer", "id": 0, "name": "timer: the next deadline",
                        "due": self.seconds_left() <= STEPS_TOGETHER * STEP})
        return out

    def do(self, what, number):
        if what == "run":
            possible = self.possible()
            self.chosen = possible[number]
            self.batch = [task for task in possible if task is not self.chosen]
        elif what == "timer":
            self.pass_time()
        else:
            task, _, exception = self.waiting.pop(number)
            trio.lowlevel.reschedule(task, scheduler.Error(exception) if what == "fail" else scheduler.Value(None))

    def end(self, message):
        """All tasks are cancelled, and go on without choices. `message`: what comes behind this run."""
        self.last, self.is_over, self.steps, self.polls = message, True, 0, 0
        self.nursery.cancel_scope.cancel()


async def outside(name, fails=None):
    """Waits for something from outside, as the reply of a server: it comes when Lockkeeper chooses.
    `fails`: the exception that is raised where Lockkeeper chooses that it fails."""
    fails = fails() if isinstance(fails, type) else fails
    if not (fails is None or isinstance(fails, BaseException)):
        raise TypeError(f"{fails!r} is no exception that outside() could raise")
    run = SERVERS[0].loop
    number = next(run.numbers) % 65_000
    run.waiting[number] = (trio.lowlevel.current_task(), name, fails)

    def given_up(_):
        run.waiting.pop(number, None)
        return trio.lowlevel.Abort.SUCCEEDED

    await trio.lowlevel.wait_task_rescheduled(given_up)


class Caller:
    def __init__(self, server, name):
        self.server, self.name, self.op, self.mine = server, name, None, {}
        self.task, self.is_waiting, self.scope = None, False, None

    def begin(self, op):
        run, self.op = self.server.loop, op
        if self.task is None:
            run.nursery.start_soon(self.live, name=self.name)
        else:
            trio.lowlevel.reschedule(self.task)
        if op.get("at_once") and self.task:
            run.chosen = self.task  # before what is left of the batch

    def is_cancellable(self): return self.scope is not None
    def cancel(self): self.scope.cancel()

    async def live(self):
        run, self.task = self.server.loop, trio.lowlevel.current_task()
        while True:
            answer = await self.answer()
            if run.is_over:
                return  # nobody asks any more
            op, self.op, self.scope = self.op, None, None
            self.server.ended(self.name, op, answer)
            await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.SUCCEEDED)

    async def answer(self):
        try:
            with trio.CancelScope() as self.scope:
                return await self.call()
        except trio.TooSlowError:
            return self.unfinished("timed out")
        except ProtocolError as error:
            return error
        except Exception as error:
            if not self.server.loop.is_over:
                self.server.fail(error)
        return self.unfinished("cancelled")

    async def call(self):
        op = self.op
        answer = self.server.operations[op["type"]](self.server.locks[op["key"]],
                                                    {**op, "client": self.name, "mine": self.mine})
        return checked(op["type"], await answer if inspect.isawaitable(answer) else answer)

    def unfinished(self, why):
        return {"done": True} if self.op["type"] == "release" else ProtocolError(14, why)


class TrioServer(Server):
    files = (*Server.files, __file__, os.path.dirname(trio.__file__))

    def read(self):
        """The next message; None: there is no more."""
        line = self.input.readline()
        return json.loads(line) if line else None

    def listen(self):
        message = self.read()
        while message is not None:
            body = message["body"]
            if body["type"] == "reset":
                message = self.run(body)
                continue
            if body["type"] == "init":
                self.init(body)
            else:
                self.write(message["src"], type="error", in_reply_to=body["msg_id"], code=10, text=body["type"])
            self.flush()
            message = self.read()

    def run(self, body):
        """Returns the message that has ended the run."""
        self.callers, self.locks, self.ended_now = {}, {}, []
        random.seed(1)
        self.write("harness", type="reset_ok", in_reply_to=body["msg_id"])
        self.loop = run = Run(self)
        scheduler._ALLOW_DETERMINISTIC_SCHEDULING, scheduler._r = True, run
        try:
            trio.run(run.main, clock=Clock(run), instruments=[run])
        except trio.TrioInternalError:
            if not run.is_abandoned:
                raise
        self.loop = None
        gc.collect()
        return run.last

    def turn(self):
        """Between two steps of trio's loop."""
        self.say_choices()
        self.flush()
        message = self.read()
        if message is None or message["body"]["type"] == "reset":
            return self.loop.end(message)
        body = message["body"]
        if body["type"] == "choices_ok" and body["do"] == "cancel":
            self.callers[body["client"]].cancel()
        elif body["type"] == "choices_ok":
            self.loop.do(body["do"], body["id"])
        elif body["type"] in self.operations:
            self.callers.setdefault(message["src"], Caller(self, message["src"])).begin(body)
        else:
            self.write(message["src"], type="error", in_reply_to=body["msg_id"], code=10, text=body["type"])


def serve(setup, parameters=None, **operations):
    """Until stdin ends. `parameters`: a dictionary that gets the scenario's numbers."""
    serve_with(TrioServer(setup, operations, {} if parameters is None else parameters))

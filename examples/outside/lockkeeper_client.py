# SPDX-License-Identifier: Apache-2.0
"""The program's side of Lockkeeper's protocol (docs/reference/protocol.md), to be copied into a
project.

serve(acquire=..., release=..., renew=...) runs the operations. Each is a function (lock, op): `op`
is the message's body and `op["client"]` the caller; the dictionary that it returns is the answer,
`raise Refused` says full, `raise NotHeld` not (any more) the caller's. An `async def` awaits what
`lock` offers. A plain `def` may block: each caller has a thread of its own, in which its operations
run, and calls the same methods of `lock` without `await`.

A ProtocolError, as Refused and NotHeld are, is an answer of the lock. What Python itself raises for
a wrong script, as a TypeError, ends the command without a verdict. What is raised on purpose, as an
AssertionError, ends the program, which counts against the lock (docs/reference/program_rules.md).

`lock` asks before each access. At the stepped level the harness owns what is stored, and decides
whose turn it is; at the black-box level this file keeps it, in `data_dir` if `durable`.

Hooks: on_start(init), with `data_dir`, `callers` and `restarts` of the message `init`; on_reset(),
before each run at the stepped level; on_crash(client).
"""

import concurrent.futures
import copy
import inspect
import json
import os
import queue
import select
import sys
import threading
import time
import traceback
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


class Blocking:
    """A function in a thread, with the face of a coroutine: send() returns its next question."""

    current = threading.local()

    def __init__(self, function, *arguments, start=None):
        self.function, self.arguments = function, arguments
        self.start = start or (lambda run: threading.Thread(target=run, daemon=True).start())
        self.turn, self.back = threading.Semaphore(0), threading.Semaphore(0)
        self.question, self.answer, self.end = None, None, None
        self.started, self.abandoned = False, False

    def run(self):
        self.turn.acquire()
        Blocking.current.task = self
        try:
            self.end = StopIteration(self.function(*self.arguments))
        except BaseException as error:  # the server's thread raises it again
            self.end = error
        self.back.release()

    def send(self, answer):
        self.started = self.started or self.start(self.run) or True
        self.answer = answer
        self.turn.release()
        self.back.acquire()
        if self.end is not None:
            raise self.end
        return self.question

    throw = send

    def close(self):
        """Unwinds the thread, which asks nothing more."""
        self.abandoned = True
        while self.started and self.end is None:
            self.turn.release()
            self.back.acquire()

    def ask(self, question):
        """In the function's own thread."""
        self.question = question
        self.back.release()
        self.turn.acquire()
        if self.abandoned:
            raise GeneratorExit
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class ForBlocking:
    """The methods of Questions for code without `await`. `exchange` takes what a coroutine
    suspends with, and gives what the coroutine goes on with."""

    def __init__(self, questions, exchange):
        self.questions, self.exchange = questions, exchange

    def named(self, name): return ForBlocking(self.questions.named(name), self.exchange)

    def __getattr__(self, name):
        method = getattr(self.questions, name)

        def call(*arguments, **named):
            coroutine, answer = method(*arguments, **named), None
            while True:
                try:
                    question = coroutine.send(answer)
                except StopIteration as end:
                    return end.value
                answer = self.exchange(question)
        return call


def go_on_alone(parts):
    """At the black-box level nobody is asked: threads run beside each other as they like."""
    time.sleep(0)
    if parts:
        with concurrent.futures.ThreadPoolExecutor(len(parts)) as pool:
            return list(pool.map(lambda part: part(), parts))
    return parts


def answer_to(kind, msg_id, result):
    """`result`: what a function returned, or the ProtocolError that it raised."""
    if isinstance(result, ProtocolError):
        return {"type": "error", "in_reply_to": msg_id, "code": result.code, "text": str(result)}
    return {"type": kind + "_ok", "in_reply_to": msg_id, **(result or {})}


def is_mistake(error):
    """Python raises it for a wrong script. Nobody else; and it is no answer of the system."""
    kind = type(error)
    return (kind.__module__ == "builtins" and isinstance(error, Exception) and
            not isinstance(error, (AssertionError, OSError)) and
            kind not in (Exception, RuntimeError))


def told_mistake(error, at, *files):
    """Its text, and the newest call outside of `files` and Python's own library, or else `at`."""
    ours = (__file__, *files, os.path.dirname(os.__file__), "<")
    calls = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(ours)]
    at = f"{calls[-1].filename}:{calls[-1].lineno} in {calls[-1].name}" if calls else at
    text = f"{type(error).__name__}: {error}".encode("ascii", "replace").decode()
    return {"type": "failed", "text": text[:1000], "where": at[-250:]}


class Task:
    """An operation under way, or a part of one that goes on beside others (`parent`)."""

    def __init__(self, run, client, kind, msg_id, parent=None, place=0):
        self.run, self.client, self.kind, self.msg_id = run, client, kind, msg_id
        self.parent, self.place, self.results, self.missing = parent, place, [], 0


class Server:
    """Lines in, lines out; operations wait in `asked` or `runnable`."""

    def __init__(self, operations, durable, stateless, background, parameters, hooks):
        self.operations, self.durable, self.stateless = operations, durable, stateless
        self.background, self.parameters, self.hooks = background, parameters, hooks
        self.stepped, self.asked, self.runnable, self.count = True, {}, [], 0
        self.threads, self.blocking, self.lines, self.printing = {}, [], [], threading.Lock()
        self.at = ""  # what it is doing, for who makes a mistake in it

    def write(self, dest, **body):
        self.lines.append((dest, body))

    def flush(self, op=None):
        """Ends the turn: all lines but the last say that more follow. `op`: an operation that may
        have nothing new to say, because it waits for the answers to its other questions."""
        if op is not None and all(body["type"] == "commit" for _, body in self.lines):
            self.write("harness", type="wait", op=op)
        for _, body in self.lines[:-1] if self.stepped else []:
            body["more"] = True
        self.print(self.lines)
        self.lines = []

    def print(self, lines):
        text = "".join(json.dumps({"src": "n1", "dest": dest, "body": body}) + "\n"
                       for dest, body in lines)
        with self.printing:
            print(text, end="", flush=True)

    def go_on(self, task, answer=None):
        """Up to the task's next question, or to its end."""
        self.at = f"{task.kind} of {task.client}"
        try:
            resume = task.run.throw if isinstance(answer, Exception) else task.run.send
            question = resume(answer)
        except StopIteration as end:
            self.finish(task, end.value)
        except ProtocolError as error:
            self.finish(task, error)
        else:
            if question is None:
                self.runnable.append(task)
            elif isinstance(question, list):
                self.divide(task, question)
            elif question["type"] == "commit":  # not answered: it belongs to the step before
                self.write("harness", op=task.msg_id, **question)
                self.go_on(task)
            else:
                self.count += 1
                self.asked[self.count] = task
                self.write("harness", msg_id=self.count, op=task.msg_id, **question)

    def divide(self, task, runs):
        runs = [run if inspect.iscoroutine(run) else Blocking(run) for run in runs]
        task.results, task.missing = [None] * len(runs), len(runs)
        self.blocking += [run for run in runs if isinstance(run, Blocking)]
        for place, run in enumerate(runs):
            self.go_on(Task(run, task.client, task.kind, task.msg_id, task, place))
        if not runs:
            self.go_on(task, [])

    def finish(self, task, result):
        parent = task.parent
        if parent is None:
            return self.write(task.client, **answer_to(task.kind, task.msg_id, result))
        parent.results[task.place] = result
        parent.missing -= 1
        if parent.missing == 0:
            failed = [each for each in parent.results if isinstance(each, ProtocolError)]
            self.go_on(parent, failed[0] if failed else parent.results)

    def init(self, body):
        self.parameters.update(body["parameters"])
        self.stepped = body["level"] == "stepped"
        if not self.stepped and self.durable:
            Local.path = os.path.join(body["data_dir"], "store.json")
            if os.path.exists(Local.path):
                with open(Local.path, encoding="utf-8") as file:
                    Local.store = json.load(file)
        self.hooks["start"](body)
        self.write("harness", type="init_ok", in_reply_to=body["msg_id"], stateless=self.stateless,
                   background=sorted(self.background) if self.stepped else [])

    def reset(self):
        self.asked.clear()
        for run in self.blocking:
            run.close()
        self.blocking.clear()
        for work in self.threads.values():
            work.put(None)
        self.threads.clear()
        self.hooks["reset"]()

    def in_thread_of(self, client, function):
        """Threads end with the program, or when they get None."""
        if client not in self.threads:
            work = self.threads[client] = queue.SimpleQueue()

            def run():
                while (task := work.get()) is not None:
                    task()
            threading.Thread(target=run, daemon=True).start()
        self.threads[client].put(function)

    def begin(self, function, client, kind, msg_id, *arguments):
        if inspect.iscoroutinefunction(function):
            run = function(Stepped() if self.stepped else Local(), *arguments)
            self.go_on(Task(run, client, kind, msg_id))
        elif self.stepped:
            lock = ForBlocking(Stepped(), lambda asked: Blocking.current.task.ask(asked))
            run = Blocking(function, lock, *arguments,
                           start=lambda run: self.in_thread_of(client, run))
            self.blocking.append(run)
            self.go_on(Task(run, client, kind, msg_id))
        else:
            self.in_thread_of(client, lambda: self.run_freely(function, client, kind, msg_id,
                                                              *arguments))

    def run_freely(self, function, client, kind, msg_id, *arguments):
        """At the black-box level, in the caller's thread."""
        try:
            result = function(ForBlocking(Local(), go_on_alone), *arguments)
        except ProtocolError as error:
            result = error
        except BaseException as error:  # as in the server's own thread: the program ends
            self.fail(error)
        self.print([(client, answer_to(kind, msg_id, result))])

    def fail(self, error):
        sys.excepthook(type(error), error, error.__traceback__)  # no answer: the program ends
        if is_mistake(error):
            self.print([("harness", told_mistake(error, self.at))])
        sys.stderr.flush()
        os._exit(1)

    def handle(self, src, body):
        kind, op = body["type"], None
        if "in_reply_to" in body:
            task = self.asked.pop(body["in_reply_to"])
            op = task.msg_id
            self.go_on(task, body)
        elif kind == "init":
            self.init(body)
        elif kind == "reset":
            self.reset()
            self.write("harness", type="reset_ok", in_reply_to=body["msg_id"])
        elif kind == "crash":  # what the caller was doing stays where it is until the reset
            self.asked = {n: task for n, task in self.asked.items() if task.client != body["client"]}
            self.hooks["crash"](body["client"])
        elif kind == "background":
            self.begin(self.background[body["name"]], body["name"], kind, body["msg_id"])
        elif kind in self.operations:
            self.begin(self.operations[kind], src, kind, body["msg_id"], {**body, "client": src})
        else:
            self.write(src, type="error", in_reply_to=body["msg_id"], code=10, text=kind)
        self.flush(op)

    def listen(self):
        rest = b""
        while True:
            # With somebody to go on, only a look at stdin.
            if not self.runnable or select.select([0], [], [], 0)[0]:
                data = os.read(0, 65536)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    message = json.loads(line)
                    self.handle(message["src"], message["body"])
            if self.runnable:
                self.go_on(self.runnable.pop(0))
                self.flush()


def serve(stateless=False, durable=False, background=None, parameters=None,
          on_start=lambda init: None, on_reset=lambda: None, on_crash=lambda client: None,
          **operations):
    """Until stdin ends. `parameters`: a dictionary that gets the scenario's numbers."""
    server = Server(operations, durable, stateless, background or {},
                    {} if parameters is None else parameters,
                    {"start": on_start, "reset": on_reset, "crash": on_crash})
    try:
        server.listen()
    except Exception as error:
        server.fail(error)

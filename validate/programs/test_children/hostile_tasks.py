#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drivers of --tasks that misbehave, one way each: hostile_tasks.py MODE. Those of RAW speak the
protocol themselves; the others use lockkeeper_tasks.py."""

import json
import os
import sys

mode = sys.argv[1]

RAW = {
    "of-no-list": {"of": 3},
    "of-no-object": {"of": [3]},
    "unknown-choice": {"of": [{"do": "explode", "id": 0, "name": "x"}]},
    "no-name": {"of": [{"do": "run", "id": 0}]},
    "negative-id": {"of": [{"do": "run", "id": -1, "name": "x"}]},
    "large-id": {"of": [{"do": "run", "id": 70_000, "name": "x"}]},
    "twice": {"of": [{"do": "run", "id": 0, "name": "x"}, {"do": "run", "id": 0, "name": "y"}]},
    "cancel-nobody": {"of": [{"do": "cancel"}]},
    "many": {"of": [{"do": "run", "id": id, "name": "x"} for id in range(257)]},
    "begin-no-list": {"of": [], "begin": "A1"},
    "missed-no-list": {"of": [], "missed": "A1"},
    "missed-nobody": {"of": [], "missed": ["A1"]},
    "unknown-key": {"of": [], "extra": 1},
    "no-time": {"of": [], "time": None},
    "long-did": {"of": [], "did": "x" * 300},
}


def write(dest, **body):
    os.write(1, (json.dumps({"src": "n1", "dest": dest, "body": body}) + "\n").encode())


def raw():
    time, probes = 10, 0
    for line in sys.stdin:
        message = json.loads(line)
        body, src = message["body"], message["src"]
        probes = 0 if body["type"] == "reset" else probes
        if mode == "missed-hit" and body["type"] == "acquire" and src.startswith("probe"):
            probes += 1  # both places are free, and no third one
            answer = {"type": "acquire_ok"} if probes <= 2 else {"type": "error", "code": 11}
            write(src, in_reply_to=body["msg_id"], **answer)
            write("harness", type="choices", msg_id=1, of=[], time=time)
            continue
        if mode == "missed-hit" and body["type"] == "acquire":
            asked = src, body["msg_id"]
            write("harness", type="choices", msg_id=1, time=time,
                  of=[{"do": "run", "id": 0, "name": "x"}, {"do": "cancel", "client": src}])
            continue
        if mode == "missed-hit" and body["type"] == "choices_ok":
            hit = body["do"] == "cancel"
            write(asked[0], type="error", in_reply_to=asked[1], code=14,
                  text="cancelled" if hit else "timed out")
            write("harness", type="choices", msg_id=1, of=[], time=time, missed=[asked[0]] * hit)
            continue
        if body["type"] in ("init", "reset"):
            version = {"tasks": 2 if mode == "version" else 1} if body["type"] == "init" else {}
            write("harness", type=body["type"] + "_ok", in_reply_to=body["msg_id"],
                  **({} if mode == "no-version" else version))
        if body["type"] == "acquire":
            if mode == "answers-twice":
                write(src, type="acquire_ok", in_reply_to=body["msg_id"])
            if mode == "answers-nobody":
                write(src, type="acquire_ok", in_reply_to=body["msg_id"] + 77)
            elif mode == "answers-another":
                write("A9", type="acquire_ok", in_reply_to=body["msg_id"])
            elif mode == "asks":
                write("harness", type="read", msg_id=1, op=body["msg_id"], key="db")
            elif mode == "crashes":
                write(src, type="error", in_reply_to=body["msg_id"], code=13)
            else:
                write(src, type="acquire_ok", in_reply_to=body["msg_id"])
            time -= 1 if mode == "time-goes-back" else 0
        if body["type"] != "init":
            choices = {"type": "choices", "msg_id": 1, "of": [], "time": time,
                       **(RAW.get(mode, {}) if body["type"] == "acquire" else {})}
            write("A1" if mode == "to-a-caller" else "harness", **choices)


if mode in RAW or mode in ("answers-twice", "answers-nobody", "answers-another", "asks", "crashes", "missed-hit",
                           "time-goes-back", "to-a-caller", "version", "no-version"):
    raw()
    sys.exit()

for folder in ("outside", "tasks"):
    sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..",
                                    "examples", folder))
from lockkeeper_tasks import outside, serve  # noqa: E402

import asyncio  # noqa: E402
import concurrent.futures  # noqa: E402
import contextlib  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import _thread  # noqa: E402
import threading  # noqa: E402

EXECUTOR = concurrent.futures.ThreadPoolExecutor(1)
ASKED = []


def serves_asked():
    while True:
        while ASKED:
            future = ASKED.pop()
            future.get_loop().call_soon_threadsafe(future.set_result, None)


if mode == "executor-before":
    EXECUTOR.submit(len, "").result()  # its thread stays
if mode == "thread-before":
    threading.Thread(target=serves_asked, daemon=True).start()
if mode == "bare-thread-before":
    has_begun = threading.Event()
    _thread.start_new_thread(lambda: (has_begun.set(), serves_asked()), ())
    has_begun.wait()


async def forever():
    await asyncio.get_running_loop().create_future()


async def ignores_cancellation():
    while True:
        try:
            await forever()
        except asyncio.CancelledError:
            pass


async def acquire(lock, op):
    loop = asyncio.get_running_loop()
    if mode == "exits":
        sys.exit(3)
    if mode == "exits-at-once":
        os._exit(3)
    if mode == "executor-before":
        await asyncio.wrap_future(EXECUTOR.submit(threading.Event().wait))
    if mode.endswith("thread-before"):
        ASKED.append(loop.create_future())
        await ASKED[-1]
    if mode == "alarm":
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    if mode == "reads-stdin":
        assert sys.stdin.read() == ""
    if mode == "child-reads-stdin":
        subprocess.run(["cat"], check=True)
    if mode == "forks":
        os.fork()  # the child goes on as if it were the driver
    if mode == "returns-false":
        return False
    if mode == "returns-a-function":
        return forever
    if mode == "swallows-a-refusal":
        with contextlib.suppress(Exception):
            await asyncio.to_thread(print)
    if mode == "asserts":
        raise AssertionError("it cannot be")
    if mode == "mistake":
        return None + 1
    if mode == "recursion":
        return await acquire(lock, op)
    if mode == "hangs":
        while True:
            pass
    if mode == "threads":
        await loop.run_in_executor(None, print)
    if mode == "to-thread":
        await asyncio.to_thread(print)
    if mode == "sockets":
        await asyncio.open_connection("localhost", 1)
    if mode == "subprocess":
        await asyncio.create_subprocess_exec("true")
    if mode == "runs-a-loop":
        asyncio.run(forever())
    if mode == "stops-the-loop":
        loop.stop()
    if mode == "closes-the-loop":
        loop.close()
    if mode == "prints":
        print("this is no message")
    if mode == "chance":
        await outside("x" * (1 + os.urandom(1)[0] % 64))
    if mode == "ready-without-end":
        def again():
            loop.call_soon(again)
        again()
    if mode == "timers-without-end":
        def tick():
            loop.call_later(1, tick)
        tick()
        await forever()
    if mode == "waits":
        await forever()
    if mode == "ignores-cancellation":
        await ignores_cancellation()
    if mode == "cancels-itself":
        asyncio.current_task().cancel()
        await forever()
    if mode == "many-arrivals":
        await asyncio.gather(*[outside("a reply") for _ in range(300)])
    if mode == "answers-nonsense":
        return {"borrowed": True}
    if mode == "answers-no-json":
        return {"until": loop}
    if mode == "thread-later":
        called = loop.create_future()
        threading.Timer(0.05, lambda: loop.call_soon_threadsafe(called.set_result, None)).start()
        await called
    if mode == "thread-calls":
        def call():
            loop.call_soon_threadsafe(print)
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    return None


async def generator(lock, op):
    yield


FUNCTIONS = {"returns-a-generator": generator, "returns-a-manager": contextlib.asynccontextmanager(generator)}


async def setup(key):
    if mode == "setup-waits":
        await forever()
    if mode == "setup-raises":
        raise AssertionError("no lock today")


def release(lock, op):
    pass


serve(setup=setup, acquire=FUNCTIONS.get(mode, acquire), release=release)

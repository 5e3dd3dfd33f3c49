"""The program's side of Lockkeeper's protocol (docs/PROTOCOL.md), to be copied into a project.

serve(acquire=..., release=..., renew=...) runs the operations, each a coroutine
`async def acquire(lock, op)`: `op` is the message's body and `op["client"]` the caller; the
dictionary that it returns is the answer, `raise Refused` says full, `raise NotHeld` not (any more)
the caller's. `lock` asks before each access. At the stepped level the harness owns what is stored,
and decides whose turn it is; at the black-box level this file keeps it, in `data_dir` if `durable`.
"""

import asyncio
import json
import os
import sys
import time


class ProtocolError(Exception):
    """An answer "error": `code` says which."""

    def __init__(self, code, text=""):
        super().__init__(f"{code} {text}")
        self.code = code


Refused = ProtocolError(1000, "full")
NotHeld = ProtocolError(22, "not held")


class Questions:
    """What an operation may ask; `ask` differs between the two levels."""

    async def ask(self, kind, **body):
        raise NotImplementedError

    async def value(self, kind, absent=(), **body):
        try:
            return (await self.ask(kind, **body)).get("value", True)
        except ProtocolError as error:
            if error.code in absent:
                return None
            raise

    async def read(self, key): return await self.value("read", (20,), key=key)
    async def write(self, key, value): return await self.value("write", key=key, value=value)
    async def insert_new(self, key, value):
        return await self.value("insert_new", (21,), key=key, value=value)
    async def delete(self, key): return await self.value("delete", (20,), key=key)
    async def update_counter(self, key, add, **limits):
        return await self.value("update_counter", (20,), key=key, add=add, **limits)
    async def now(self): return await self.value("now")
    async def access(self, what): await self.ask("access", what=what)
    async def send(self, to, message): await self.ask("send", to=to, message=message)
    async def receive(self, mailbox): return (await self.ask("receive", mailbox=mailbox))["message"]
    async def monitor(self, client, mailbox, message):
        await self.ask("monitor", client=client, mailbox=mailbox, message=message)

    async def cas(self, key, old, new):
        """True when `old` (None: absent) was replaced by `new`."""
        return bool(await self.value("cas", (20, 22), key=key, to=new, **{"from": old},
                                     create_if_not_exists=old is None))


class Stepped(Questions):
    """Asks the harness. `asked` and `count` are the program's: questions that wait, and how many."""

    asked, count = {}, 0

    def __init__(self, op):
        self.op = op

    async def ask(self, kind, **body):
        Stepped.count += 1
        Stepped.asked[Stepped.count] = asyncio.get_running_loop().create_future()
        write("harness", type=kind, msg_id=Stepped.count, op=self.op, **body)
        return await Stepped.asked[Stepped.count]


class Local(Questions):
    """Keeps the store here. Before each access others may run, as they would between two steps."""

    store, path = {}, None

    async def ask(self, kind, key=None, value=None, add=0, least=None, most=None, to=None,
                  create_if_not_exists=False, **more):
        await asyncio.sleep(0)
        store, known = Local.store, key in Local.store
        if kind == "now":
            return {"value": time.monotonic_ns() // 1_000_000}
        if kind == "access":
            return {}
        if kind in ("send", "receive", "monitor"):
            raise ProtocolError(10, "messages are not available at this level")
        if kind == "insert_new" and known:
            raise ProtocolError(21)
        if not known and kind not in ("write", "insert_new") and not create_if_not_exists:
            raise ProtocolError(20)
        if kind == "read":
            return {"value": store[key]}
        if kind == "cas" and known and store[key] != more["from"]:
            raise ProtocolError(22)
        if kind == "delete":
            del store[key]
        elif kind == "update_counter":
            value = store.get(key, 0) + add
            value = value if least is None else max(value, least)
            store[key] = value = value if most is None else min(value, most)
        else:
            store[key] = to if kind == "cas" else value
        if Local.path:  # written beside and renamed: a crash leaves the old one or the new one
            with open(Local.path + ".new", "w", encoding="utf-8") as file:
                json.dump(store, file)
            os.rename(Local.path + ".new", Local.path)
        return {"value": value}


def write(dest, **body):
    line = json.dumps({"src": "n1", "dest": dest, "body": body})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def _operate(handler, lock, message):
    body = message["body"]
    try:
        answer = await handler(lock, {**body, "client": message["src"]}) or {}
        write(message["src"], type=body["type"] + "_ok", in_reply_to=body["msg_id"], **answer)
    except ProtocolError as error:
        write(message["src"], type="error", in_reply_to=body["msg_id"], code=error.code,
              text=str(error))


def _init(body, durable, stateless, background):
    stepped = body["level"] == "stepped"
    if not stepped and durable:
        Local.path = os.path.join(body["data_dir"], "store.json")
        if os.path.exists(Local.path):
            with open(Local.path, encoding="utf-8") as file:
                Local.store = json.load(file)
    write("harness", type="init_ok", in_reply_to=body["msg_id"], stateless=stateless,
          background=sorted(background) if stepped else [])
    return stepped


async def _main(operations, durable, stateless, background, parameters):
    loop, lines, running, stepped = asyncio.get_running_loop(), asyncio.StreamReader(), {}, True
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        message = json.loads(line)
        body = message["body"]
        kind, client = body["type"], body.get("client", message["src"])
        if "in_reply_to" in body:
            future = Stepped.asked.pop(body["in_reply_to"])
            if kind == "error":
                future.set_exception(ProtocolError(body["code"], body.get("text", "")))
            else:
                future.set_result(body)
        elif kind == "init":
            parameters.update(body["parameters"])
            stepped = _init(body, durable, stateless, background)
        elif kind == "reset" or kind == "crash":
            for name in list(running) if kind == "reset" else [client]:
                if task := running.pop(name, None):
                    task.cancel()
            if kind == "reset":
                Stepped.asked.clear()
                write("harness", type="reset_ok", in_reply_to=body["msg_id"])
        elif kind == "background":
            running[body["name"]] = loop.create_task(background[body["name"]](
                Stepped(body["msg_id"])))
        elif kind in operations:
            lock = Stepped(body["msg_id"]) if stepped else Local()
            running[client] = loop.create_task(_operate(operations[kind], lock, message))
        else:
            write(message["src"], type="error", in_reply_to=body["msg_id"], code=10)


def serve(stateless=False, durable=False, background=None, parameters=None, **operations):
    """Until stdin ends. `parameters`: a dictionary that gets the scenario's numbers."""
    asyncio.run(_main(operations, durable, stateless, background or {},
                      {} if parameters is None else parameters))

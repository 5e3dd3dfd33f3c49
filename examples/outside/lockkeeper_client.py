"""The program's side of Lockkeeper's protocol (docs/PROTOCOL.md), to be copied into a project.

serve(acquire=..., release=..., renew=...) runs the operations, each a coroutine
`async def acquire(lock, op)`: `op` is the message's body and `op["client"]` the caller; the
dictionary that it returns is the answer, `raise Refused` says full, `raise NotHeld` not (any more)
the caller's. `lock` asks before each access. At the stepped level the harness owns what is stored,
and decides whose turn it is; at the black-box level this file keeps it, in `data_dir` if `durable`.
"""

import json
import os
import select
import sys
import time
import types


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


@types.coroutine
def suspend(what):
    """Hands `what` to the loop at the end of this file; gives what the loop sends back."""
    return (yield what)


class Stepped(Questions):
    """Asks the harness, which answers when it is this operation's turn."""

    async def ask(self, kind, **body):
        answer = await suspend({"type": kind, **body})
        if answer["type"] == "error":
            raise ProtocolError(answer["code"], answer.get("text", ""))
        return answer


class Local(Questions):
    """Keeps the store here. Before each access others may run, as they would between two steps."""

    store, path = {}, None

    async def ask(self, kind, key=None, value=None, add=0, least=None, most=None, to=None,
                  create_if_not_exists=False, **more):
        await suspend(None)
        store, known = Local.store, key in Local.store
        if kind == "now":
            return {"value": time.monotonic_ns() // 1_000_000}
        if kind == "access":
            return {}
        if kind in ("send", "receive"):
            raise ProtocolError(10, "no messages at this level")
        if kind == "monitor":
            return {}  # callers do not die at this level
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
        return {"value": value} if kind == "update_counter" else {}


class Server:
    """Lines in, lines out; operations are coroutines that wait in `asked` or `runnable`."""

    def __init__(self, operations, durable, stateless, background, parameters):
        self.operations, self.durable, self.stateless = operations, durable, stateless
        self.background, self.parameters = background, parameters
        self.stepped, self.asked, self.runnable, self.count = True, {}, [], 0

    def write(self, dest, **body):
        sys.stdout.write(json.dumps({"src": "n1", "dest": dest, "body": body}) + "\n")
        sys.stdout.flush()

    def go_on(self, task, answer=None):
        """`task`: (coroutine, caller, type, msg_id). Up to its next question, or to its end."""
        coroutine, client, kind, msg_id = task
        try:
            question = coroutine.send(answer)
        except StopIteration as end:
            self.write(client, type=kind + "_ok", in_reply_to=msg_id, **(end.value or {}))
        except ProtocolError as error:
            self.write(client, type="error", in_reply_to=msg_id, code=error.code, text=str(error))
        else:
            if question is None:
                self.runnable.append(task)
            else:
                self.count += 1
                self.asked[self.count] = task
                self.write("harness", msg_id=self.count, op=msg_id, **question)

    def init(self, body):
        self.parameters.update(body["parameters"])
        self.stepped = body["level"] == "stepped"
        if not self.stepped and self.durable:
            Local.path = os.path.join(body["data_dir"], "store.json")
            if os.path.exists(Local.path):
                with open(Local.path, encoding="utf-8") as file:
                    Local.store = json.load(file)
        self.write("harness", type="init_ok", in_reply_to=body["msg_id"], stateless=self.stateless,
                   background=sorted(self.background) if self.stepped else [])

    def handle(self, src, body):
        kind = body["type"]
        if "in_reply_to" in body:
            self.go_on(self.asked.pop(body["in_reply_to"]), body)
        elif kind == "init":
            self.init(body)
        elif kind == "reset":
            self.asked.clear()
            self.write("harness", type="reset_ok", in_reply_to=body["msg_id"])
        elif kind == "crash":
            self.asked = {n: task for n, task in self.asked.items() if task[1] != body["client"]}
        elif kind == "background":
            name = body["name"]
            self.go_on((self.background[name](Stepped()), name, kind, body["msg_id"]))
        elif kind in self.operations:
            lock = Stepped() if self.stepped else Local()
            operation = self.operations[kind](lock, {**body, "client": src})
            self.go_on((operation, src, kind, body["msg_id"]))
        else:
            self.write(src, type="error", in_reply_to=body["msg_id"], code=10, text=kind)


def serve(stateless=False, durable=False, background=None, parameters=None, **operations):
    """Until stdin ends. `parameters`: a dictionary that gets the scenario's numbers."""
    server = Server(operations, durable, stateless, background or {},
                    {} if parameters is None else parameters)
    rest = b""
    while True:
        # With somebody to go on, only a look at stdin.
        if not server.runnable or select.select([0], [], [], 0)[0]:
            data = os.read(0, 65536)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                message = json.loads(line)
                server.handle(message["src"], message["body"])
        if server.runnable:
            server.go_on(server.runnable.pop(0))

# SPDX-License-Identifier: Apache-2.0
"""A small lock server, and servers that behave badly: PORT FRAMING KIND.

    acquire KEY TOKEN SECONDS   granted LEASE SECONDS | taken      SECONDS 0: no end, "granted - 0"
    wait KEY TOKEN SECONDS      granted ..., when it is free
    get KEY | set KEY TOKEN     TOKEN or - | ok
    release KEY TOKEN           ok | lost
    free KEY                    ok, whoever has it
    end LEASE                   ok: as if its time were over
    forget                      ok: everything
"""

import os
import selectors
import socket
import sys
import time


class Frames:
    """Messages out of bytes, and back."""

    def __init__(self, framing):
        self.framing = framing
        self.rest = b""

    def take(self):
        if self.framing == "newline":
            if b"\n" not in self.rest:
                return None
            line, self.rest = self.rest.split(b"\n", 1)
            return line.decode()
        if self.framing == "length":
            if len(self.rest) < 4 or len(self.rest) < 4 + int.from_bytes(self.rest[:4], "big"):
                return None
            size = int.from_bytes(self.rest[:4], "big")
            text, self.rest = self.rest[4 : 4 + size], self.rest[4 + size :]
            return text.decode()
        head, found, body = self.rest.partition(b"\r\n\r\n")
        if not found:
            return None
        size = sum(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line)
        if len(body) < size:
            return None
        text, self.rest = body[:size], body[size:]
        return text.decode()

    def put(self, text, chunked=False):
        body = text.encode()
        if self.framing == "newline":
            return body + b"\n"
        if self.framing == "length":
            return len(body).to_bytes(4, "big") + body
        if chunked:
            return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Server:
    def __init__(self, port, framing, kind, folder=None):
        self.framing = framing
        self.kind = kind
        self.path = f"locks.{port}"
        self.locks = {}  # key: (token, end, lease)
        self.file = folder and os.path.join(folder, "values")  # what is set outlives the server
        if self.file and os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as lines:
                self.locks = {key: (value, None, "-") for key, value in map(str.split, lines)}
        self.waiting = []  # (connection, key, token, seconds)
        self.leases = 0
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("" if kind == "everywhere" else "127.0.0.1", port))
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.frames = {}

    def expire(self):
        now = time.monotonic()
        self.locks = {key: lock for key, lock in self.locks.items() if lock[1] is None or lock[1] > now}
        for waiter in list(self.waiting):
            if waiter[1] not in self.locks:
                self.waiting.remove(waiter)
                self.say(waiter[0], self.grant(*waiter[1:]))

    def grant(self, key, token, seconds):
        self.leases += 1
        end = time.monotonic() + int(seconds) if int(seconds) else None
        self.locks[key] = (token, end, f"lease-{os.getpid()}-{self.leases}")
        return f"granted {self.locks[key][2]} {seconds}"

    def answer(self, connection, word, *rest):
        self.expire()
        if word == "acquire":
            return self.grant(*rest) if rest[0] not in self.locks else "taken"
        if word == "wait":
            if rest[0] not in self.locks:
                return self.grant(*rest)
            self.waiting.append((connection, *rest))
            return None
        if word == "get":
            return self.locks[rest[0]][0] if rest[0] in self.locks else "-"
        if word == "set":
            self.locks[rest[0]] = (rest[1], None, "-")
            if self.file:
                with open(self.file, "a", encoding="utf-8") as lines:
                    lines.write(f"{rest[0]} {rest[1]}\n")
        elif word == "release":
            if self.locks.get(rest[0], [None])[0] != rest[1]:
                return "lost"
            del self.locks[rest[0]]
        elif word == "free":
            self.locks.pop(rest[0], None)
        elif word == "end":
            self.locks = {key: lock for key, lock in self.locks.items() if lock[2] != rest[0]}
        elif word == "forget":
            self.locks.clear()
        self.expire()
        return "ok"

    def say(self, connection, text):
        if text is not None:
            connection.sendall(self.frames[connection].put(text, chunked=True))

    def misbehave(self, connection):
        kind = self.kind
        if kind == "garbage":
            connection.sendall(b"\xff\xff\xff\xff hello")
        elif kind == "half":
            connection.sendall(self.frames[connection].put("granted")[:-2])
            connection.close()
        elif kind == "huge":
            for _ in range(1 << 12):
                connection.sendall(b"x" * (1 << 20))
        elif kind == "dies":
            sys.exit("cannot go on")
        elif kind == "busy":
            while True:
                pass
        elif kind == "chatty_log":
            while True:
                os.write(2, b"y" * (1 << 20))
        elif kind == "closes":
            self.selector.unregister(connection)
            connection.close()
        elif kind != "silent":
            return False
        return True

    def read(self, connection):
        try:
            more = connection.recv(65536)
        except OSError:
            more = b""
        if not more:
            self.selector.unregister(connection)
            connection.close()
            self.waiting = [waiter for waiter in self.waiting if waiter[0] is not connection]
            return
        frames = self.frames[connection]
        frames.rest += more
        while (text := frames.take()) is not None:
            if text != "forget" and self.misbehave(connection):
                return
            self.say(connection, self.answer(connection, *text.split()))

    def serve(self):
        while True:
            ends = [lock[1] for lock in self.locks.values() if lock[1] is not None]
            wait = max(min(ends) - time.monotonic(), 0) if ends else None
            for ready, _ in self.selector.select(wait):
                if ready.fileobj is self.listener:
                    connection, _ = self.listener.accept()
                    self.frames[connection] = Frames(self.framing)
                    self.selector.register(connection, selectors.EVENT_READ)
                else:
                    self.read(ready.fileobj)
            self.expire()


def main():
    port, framing, kind = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    if kind == "never_opens":
        time.sleep(1e6)
    if kind == "ends_at_once":
        sys.exit("no such file")
    if kind == "floods_at_start":
        while True:
            os.write(2, b"y" * (1 << 20))
    Server(port, framing, kind, *sys.argv[4:]).serve()


if __name__ == "__main__":
    main()

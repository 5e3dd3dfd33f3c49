# SPDX-License-Identifier: Apache-2.0
"""A lock on ZooKeeper by its messages alone, and a server of as much of ZooKeeper as it needs:

    server PORT           nodes end with their sessions; when its timer ends it never comes to rest again
    server PORT hides     the same, and nobody sees which nodes there are
    server PORT guards    the same, and only who has made a node deletes it
    right                 who creates the node holds
    looks_first           broken: whoever has seen no node holds, whatever comes of its creation
    marks                 says of a node that it leaves behind that it has been there
"""

import os
import selectors
import socket
import struct
import sys

CREATE, DELETE, EXISTS, CHILDREN, CLOSE = 1, 2, 3, 8, -11
NO_NODE, NO_RIGHT, NODE_EXISTS = -101, -102, -110
TICK = 5.0
SESSION_MILLISECONDS = 10_000
STAT = struct.pack(">qqqqiiiqiiq", 2, 2, 10**12, 10**12, 0, 0, 0, 1, 0, 0, 2)


def text(value):
    return struct.pack(">i", len(value)) + value


def receive(connection):
    """A message without its length; nothing: the other side has closed."""
    got = b""
    while len(got) < 4 or len(got) < 4 + int.from_bytes(got[:4], "big"):
        more = connection.recv(4 if len(got) < 4 else 4 + int.from_bytes(got[:4], "big") - len(got))
        if not more:
            return None
        got += more
    return got[4:]


class Server:
    def __init__(self, kind):
        self.kind = kind
        self.nodes = {}  # path: session
        self.sessions = {}  # by connection

    def answer(self, connection, message):
        if connection not in self.sessions:
            self.sessions[connection] = len(self.sessions) + 1
            head = struct.pack(">iiq", 0, SESSION_MILLISECONDS, self.sessions[connection])
            return head + text(b"p" * 16) + b"\0"
        number, kind = struct.unpack(">ii", message[:8])
        path = message[12 : 12 + int.from_bytes(message[8:12], "big")]
        error, body = 0, b""
        if kind == CREATE:
            error, body = (NODE_EXISTS, b"") if path in self.nodes else (0, text(path))
            is_ephemeral = struct.unpack(">i", message[-4:])[0] & 1
            self.nodes.setdefault(path, self.sessions[connection] if is_ephemeral else 0)
        elif kind in (DELETE, EXISTS):
            error = 0 if path in self.nodes else NO_NODE
            body = STAT if kind == EXISTS and not error else b""
            if kind == DELETE and self.kind == "guards" and not error:
                error = 0 if self.nodes[path] == self.sessions[connection] else NO_RIGHT
            if kind == DELETE and not error:
                del self.nodes[path]
        elif kind == CHILDREN and self.kind == "hides":
            error = NO_RIGHT
        elif kind == CHILDREN:
            names = [node[1:] for node in self.nodes if path == b"/"]
            body = struct.pack(">i", len(names)) + b"".join(map(text, names))
        elif kind == CLOSE:
            self.nodes = {node: own for node, own in self.nodes.items() if own != self.sessions[connection]}
        return struct.pack(">iqi", number, 3, error) + body

    def serve(self, port):
        selector = selectors.DefaultSelector()
        listener = socket.create_server(("127.0.0.1", port))
        selector.register(listener, selectors.EVENT_READ)
        while True:
            ready = selector.select(TICK)
            while not ready:
                pass
            for key, _ in ready:
                if key.fileobj is listener:
                    selector.register(listener.accept()[0], selectors.EVENT_READ)
                    continue
                message = receive(key.fileobj)
                if message is None:  # its session goes on
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                    continue
                key.fileobj.sendall(text(self.answer(key.fileobj, message)))


class Lock:
    def __init__(self, kind):
        self.kind = kind
        self.connection = None
        self.number = 0

    def ask(self, kind, path, more=b""):
        """The error, or 0."""
        if self.connection is None:
            self.connection = socket.create_connection(("127.0.0.1", int(os.environ["LOCKKEEPER_PORT"])))
            first = struct.pack(">iqiq", 0, 0, SESSION_MILLISECONDS, 0) + text(b"\0" * 16)
            self.connection.sendall(text(first))
            receive(self.connection)
        self.connection.sendall(text(struct.pack(">ii", self.number, kind) + text(path) + more))
        self.number += 1
        return struct.unpack(">iqi", receive(self.connection)[:16])[2]

    def acquire(self, key):
        path = b"/" + key.encode()
        if self.kind == "looks_first" and self.ask(EXISTS, path, b"\0") == 0:
            return "refused"
        anybody = struct.pack(">ii", 1, 31) + text(b"world") + text(b"anyone")
        error = self.ask(CREATE, path, text(b"") + anybody + struct.pack(">i", 1))
        return "ok" if error == 0 or self.kind == "looks_first" else "refused"

    def release(self, key):
        self.ask(DELETE, b"/" + key.encode(), struct.pack(">i", -1))
        if self.kind == "marks" and self.ask(CREATE, b"/mark", text(b"") + struct.pack(">ii", 0, 0)) != 0:
            return "lost"
        return "ok"


def main():
    if sys.argv[1] == "server":
        Server("".join(sys.argv[3:])).serve(int(sys.argv[2]))
    lock = Lock(sys.argv[1])
    print("ready reset", flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "reset":
            lock = Lock(sys.argv[1])
        print("ready" if word == "reset" else getattr(lock, word)(*rest), flush=True)


if __name__ == "__main__":
    main()

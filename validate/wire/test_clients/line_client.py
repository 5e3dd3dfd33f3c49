# SPDX-License-Identifier: Apache-2.0
"""Locks on line_server.py, right and wrong ones: KIND FRAMING [SECONDS]."""

import os
import socket
import sys
import time

from line_server import Frames


class Lock:
    def __init__(self, kind, framing, seconds):
        self.kind = kind
        self.framing = framing
        self.seconds = seconds
        self.socket = None
        self.token = "t" + os.environ["LOCKKEEPER_CALLER"] + os.environ.get("LOCKKEEPER_INCARNATION", "")

    def ask(self, *words):
        text = " ".join(str(word) for word in words)
        try:
            if self.socket is None:
                self.socket = socket.create_connection(("127.0.0.1", int(os.environ["LOCKKEEPER_PORT"])))
                self.frames = Frames(self.framing)
            if self.framing == "http":
                body = text.encode()
                self.socket.sendall(b"POST /lock HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            else:
                self.socket.sendall(self.frames.put(text))
            return self.reply()
        except OSError:
            self.socket.close()
            self.socket = None
            raise

    def reply(self):
        """The server's answers over HTTP are chunked."""
        while True:
            if self.framing == "http":
                head, found, body = self.frames.rest.partition(b"\r\n\r\n")
                if found and body.endswith(b"0\r\n\r\n"):
                    self.frames.rest = b""
                    return body.split(b"\r\n")[1].decode()
            elif (text := self.frames.take()) is not None:
                return text
            more = self.socket.recv(4096)
            if not more:
                raise ConnectionError("closed")
            self.frames.rest += more

    def prepare(self):
        return self.ask("set", "made", "yes")

    def acquire(self, key):
        if self.kind == "makes" and self.ask("get", "made") != "yes":
            return "refused"
        if self.kind == "get_then_set":
            if self.ask("get", key) != "-":
                return "refused"
            self.ask("set", key, self.token)
            return "ok"
        called = time.time()
        answer = self.ask("wait" if self.kind.startswith("waits") else "acquire", key, self.token, self.seconds)
        until = f" until={called + self.seconds}" if self.seconds and self.kind != "silent_end" else ""
        return "ok" + until if answer.startswith("granted") else "refused"

    def release(self, key):
        if self.kind == "waits_and_keeps":
            return "ok"
        if self.kind in ("anybody", "get_then_set"):
            self.ask("free", key)
            return "ok"
        return "ok" if self.ask("release", key, self.token) == "ok" else "lost"


def main():
    kind, framing, seconds = sys.argv[1], sys.argv[2], int((sys.argv + ["0"])[3])
    lock = Lock(kind, framing, seconds)
    print("ready reset prepare" if kind == "makes" else "ready reset", flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "reset":
            lock = Lock(kind, framing, seconds)
            print("ready", flush=True)
            continue
        try:
            print(getattr(lock, word)(*rest), flush=True)
        except OSError as error:
            print(f"error {error}", flush=True)


if __name__ == "__main__":
    main()

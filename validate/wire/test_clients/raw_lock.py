# SPDX-License-Identifier: Apache-2.0
"""Locks over a plain socket, right and wrong ones, and clients that behave badly: argv[1] says which.

Without any library, so that the tests of the harness need none.
"""

import os
import socket
import sys
import threading
import time


def connect():
    client = socket.create_connection(("127.0.0.1", 6379))
    return client


class Redis:
    def __init__(self):
        self.socket = None

    def ask(self, *words):
        if self.socket is None:
            self.socket = connect()
        text = b"*%d\r\n" % len(words)
        for word in words:
            word = str(word).encode()
            text += b"$%d\r\n%s\r\n" % (len(word), word)
        try:
            self.socket.sendall(text)
            return self.reply()
        except OSError:
            self.socket.close()
            self.socket = None
            raise

    def reply(self):
        text = b""
        while not text.endswith(b"\r\n") or (text[:1] == b"$" and text.count(b"\r\n") < 2
                                             and text != b"$-1\r\n"):
            more = self.socket.recv(4096)
            if not more:
                raise ConnectionError("closed")
            text += more
        return None if text == b"$-1\r\n" else text.split(b"\r\n")[1 if text[:1] == b"$" else 0]


RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Lock:
    def __init__(self, kind):
        self.kind = kind
        self.redis = Redis()
        self.token = os.getrandom(8).hex()

    def acquire(self, key):
        kind = self.kind
        if kind == "get_then_set" and self.redis.ask("GET", key) is not None:
            return "refused"
        if kind == "two_requests":
            if self.redis.ask("SETNX", key, self.token) != b":1":
                return "refused"
            self.redis.ask("PEXPIRE", key, 10_000)
            return "ok"
        if kind == "pid":
            self.token = os.readlink("/proc/self")
        if kind == "sleeps":
            time.sleep(0.5)
            waiter = threading.Thread(target=threading.Event().wait, args=(0.25,))
            waiter.start()
            waiter.join()
        if kind == "says_until":  # what another clock would call the end of the key
            end = time.time() + 10
            granted = self.redis.ask("SET", key, self.token, "NX", "PXAT", int(end * 1000)) == b"+OK"
            return f"ok until={end:.3f}" if granted else "refused"
        if kind == "late":
            granted = self.redis.ask("SET", key, self.token, "NX", "PX", 10_000) == b"+OK"
            return f"ok until={time.time() + 10:.3f}" if granted else "refused"
        words = ["SET", key, self.token] + ([] if kind == "get_then_set" else ["NX"])
        if kind != "for_ever":
            words += ["PX", 10_000]
        return "ok" if self.redis.ask(*words) == b"+OK" else "refused"

    def release(self, key):
        if self.kind == "anybody":
            self.redis.ask("DEL", key)
            return "ok"
        if self.kind == "get_then_del":
            if self.redis.ask("GET", key) != self.token.encode():
                return "lost"
            self.redis.ask("DEL", key)
            return "ok"
        return "ok" if self.redis.ask("EVAL", RELEASE, 1, key, self.token) == b":1" else "lost"

    def renew(self, key):
        self.redis.ask("PEXPIRE", key, 10_000)
        return "ok"

    def misbehave(self):
        kind = self.kind
        client = self.client = connect() if kind in ("garbage", "half", "endless") else None
        if kind == "garbage":
            client.sendall(b"\x00\xff\x17 hello\r\n")
        elif kind == "half":
            client.sendall(b"*2\r\n$3\r\nGET\r\n$100\r\nab")
        elif kind == "endless":
            client.sendall(b"*2\r\n$3\r\nGET\r\n$9000000000\r\n" + b"x" * 100_000)
        elif kind == "busy":
            while True:
                pass
        elif kind == "endless_pings":
            while True:
                self.redis.ask("PING")
        elif kind == "dies":
            os._exit(3)
        elif kind == "chatty":
            return "ok\nok\nok"
        elif kind == "nonsense":
            return "perhaps"
        elif kind == "floods":
            os.write(1, b"x" * 3_000_000)
        return None


def main():
    kind = sys.argv[1]
    modes = sys.argv[2:] or ["reset", "fork"]
    lock = Lock(kind)
    if kind == "mute":
        time.sleep(1e6)
    if kind == "wrong_start":
        print("hello", flush=True)
    print(" ".join(["ready"] + modes), flush=True)
    while True:
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(0, 1)
            if not byte:
                return
            line += byte
        word, *rest = line.decode().split()
        if word == "fork":
            child = os.fork()
            if child != 0:
                os.waitpid(child, 0)
                continue
            lock = Lock(kind)
            answer = "ready"
        elif word == "reset":
            lock = Lock(kind)
            answer = "ready"
        elif word not in ("acquire", "release", "renew"):
            answer = "unsupported"
        else:
            try:
                answer = lock.misbehave()
                if answer is None and kind in ("garbage", "half", "endless"):
                    os.read(0, 1)
                answer = answer or getattr(lock, word)(*rest)
            except OSError as error:
                answer = f"error {error}"
        os.write(1, (answer + "\n").encode())


main()

# SPDX-License-Identifier: Apache-2.0
"""Locks over a plain socket, right and wrong ones, and clients that behave badly: argv[1] says which.

Without any library, so that the tests of the harness need none.
"""

import hashlib
import os
import socket
import sys
import threading
import time


def connect(port=6379):
    client = socket.create_connection(("127.0.0.1", port))
    return client


class Redis:
    def __init__(self, database=0, port=6379):
        self.socket = None
        self.port = port
        self.database = database

    def ask(self, *words):
        return self.ask_all(words)[0]

    def ask_all(self, *commands):
        """The answers to commands that are sent together."""
        try:
            self.send(*commands)
            return [self.reply() for _ in commands]
        except OSError:
            if self.socket is not None:
                self.socket.close()
            self.socket = None
            raise

    def send(self, *commands):
        if self.socket is None:
            self.socket = connect(self.port)
            self.rest = b""
            if self.database:
                self.ask("SELECT", self.database)
        text = b""
        for words in commands:
            text += b"*%d\r\n" % len(words)
            for word in words:
                word = str(word).encode()
                text += b"$%d\r\n%s\r\n" % (len(word), word)
        self.socket.sendall(text)

    def line(self):
        while b"\r\n" not in self.rest:
            more = self.socket.recv(4096)
            if not more:
                raise ConnectionError("closed")
            self.rest += more
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def reply(self):
        line = self.line()
        if line in (b"$-1", b"*-1", b"_"):
            return None
        if line[:1] == b"*":
            return [self.reply() for _ in range(int(line[1:]))]
        return self.line() if line[:1] == b"$" else line


TAKE = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])"
EXTEND = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], 10000) end return 0"
EXTEND_ANYBODY = "return redis.call('PEXPIRE', KEYS[1], 10000)"
LOOK = "return redis.call('GET', KEYS[1])"
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class Lock:
    made = 0  # in this process

    def __init__(self, kind):
        Lock.made += 1
        self.redis = Redis(1 if kind.startswith("other_database_") else 0)
        self.kind = kind = kind.removeprefix("other_database_")
        self.token = os.getrandom(8).hex()
        if kind == "by_name":
            self.token = os.environ["LOCKKEEPER_CALLER"]
        if kind.startswith("sha"):
            self.redis.ask("SCRIPT", "LOAD", RELEASE)

    def acquire(self, key):
        kind = self.kind
        if kind == "patient" and not self.is_alone(key):
            return "refused"
        if kind == "get_then_set" and self.redis.ask("GET", key) is not None:
            return "refused"
        if kind == "two_requests":
            if self.redis.ask("SETNX", key, self.token) != b":1":
                return "refused"
            self.redis.ask("PEXPIRE", key, 10_000)
            return "ok"
        if kind == "watched":
            # Whoever releases meanwhile writes what is watched. After that nobody acquires.
            self.redis.ask("WATCH", key + ":releases")
            if self.redis.ask("EXISTS", key, key + ":releases") != b":0":
                return "refused"
            done = self.redis.ask_all(("MULTI",), ("SET", key, self.token, "NX", "PX", 10_000), ("EXEC",))[-1]
            return "ok" if done == [b"+OK"] else "refused"
        if kind == "notes":  # the holder, under a key of the holder's own
            if self.redis.ask("SET", key, self.token, "NX", "PX", 10_000) != b"+OK":
                return "refused"
            self.redis.ask("SET", key + ":" + os.environ["LOCKKEEPER_CALLER"], 1)
            return "ok"
        if kind == "wrong_once":  # in its first run; later it asks nobody
            return "ok" if Lock.made == 1 and self.redis.ask("GET", key) is None else "refused"
        if kind in ("reads", "looks"):
            return "refused" if self.redis.ask("GET", key) is None and kind == "looks" else "ok"
        if kind.startswith("sha") or kind == "by_name":
            granted = self.ask_again("SET", key, self.token, "NX") == b"+OK"
            return "ok" if granted or self.ask_again("GET", key) == self.token.encode() else "refused"
        if kind == "impatient":  # the first caller for less; who waits too long takes it
            seconds = 3 if os.environ["LOCKKEEPER_CALLER"] == "0" else 10
            for wait in (0.5, 2):
                if self.redis.ask("EVAL", TAKE, 1, key, self.token, seconds * 1000) == b"+OK":
                    return "ok"
                time.sleep(wait)
            self.redis.ask("SET", key, self.token, "PX", seconds * 1000)
            return "ok"
        if kind == "overwrites":
            self.redis.ask("SET", key, self.token, "PX", 10_000)
            return "refused" if self.redis.ask("GET", key) is None else "ok"
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
        if kind in ("too_late", "keeps_too_late", "never"):  # who is granted it looks at the clock
            end = time.monotonic() + 10
            if self.redis.ask("SET", key, self.token, "NX", "PX", 10_000) != b"+OK":
                return "refused"
            if kind != "never" and time.monotonic() < end:
                return "ok"
            if kind != "keeps_too_late":
                self.redis.ask("EVAL", RELEASE, 1, key, self.token)
            return "refused"
        words = ["SET", key, self.token] + ([] if kind in ("get_then_set", "patient") else ["NX"])
        if kind != "for_ever":
            words += ["PX", 10_000]
        answer = self.redis.ask(*words)
        if kind == "comes_back" and answer != b"+OK":  # when the lock is over
            time.sleep(12)
            answer = self.redis.ask(*words)
        return "ok" if answer == b"+OK" else "refused"

    def ask_again(self, *words):
        """Once more where the connection is lost."""
        try:
            return self.redis.ask(*words)
        except OSError:
            return self.redis.ask(*words)

    def release_by_hash(self, key):
        words = ("EVALSHA", hashlib.sha1(RELEASE.encode()).hexdigest(), 1, key, self.token)
        answer = self.ask_again(*words)
        if answer.startswith(b"-NOSCRIPT") and self.kind == "sha_right":
            self.ask_again("SCRIPT", "LOAD", RELEASE)
            answer = self.ask_again(*words)
        return f"error {answer}" if answer.startswith(b"-") else "ok" if answer == b":1" else "lost"

    def is_alone(self, key):
        """Looks whether the lock is free, and much later for a long time whether somebody else is at it."""
        if self.redis.ask("GET", key) is not None:
            return False
        for _ in range(20):
            self.redis.ask("GET", key + ":options")
        first = self.redis.ask("INCR", key + ":beats")
        return all(self.redis.ask("INCR", key + ":beats") == b":%d" % (int(first[1:]) + i) for i in range(1, 50))

    def release(self, key):
        if self.kind in ("anybody", "notes", "overwrites"):
            self.redis.ask("DEL", key)
            return "ok"
        if self.kind == "get_then_del":
            if self.redis.ask("GET", key) != self.token.encode():
                return "lost"
            self.redis.ask("DEL", key)
            return "ok"
        if self.kind.startswith("sha"):
            return self.release_by_hash(key)
        released = self.redis.ask("EVAL", RELEASE, 1, key, self.token) == b":1"
        if self.kind == "watched":
            self.redis.ask("INCR", key + ":releases")
        return "ok" if released else "lost"

    def look(self, key):
        self.redis.ask("EVAL", LOOK, 1, key)
        return "ok"

    def renew(self, key):
        if self.kind in ("extends", "deaf", "extends_anybody"):
            script = EXTEND_ANYBODY if self.kind == "extends_anybody" else EXTEND
            renewed = self.redis.ask("EVAL", script, 1, key, self.token) == b":1"
            return "ok" if renewed or self.kind == "deaf" else "lost"
        renewed = self.redis.ask("PEXPIRE", key, 10_000) == b":1"
        return "ok" if renewed or self.kind == "anybody" else "lost"

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


def main(lock_of=Lock):
    # "right,anybody": the callers' kinds in turn.
    kinds = sys.argv[1].split(",")
    kind = kinds[int(os.environ["LOCKKEEPER_CALLER"]) % len(kinds)]
    modes = sys.argv[2:] or ["reset", "fork"]
    lock = lock_of(kind)
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
            lock = lock_of(kind)
            answer = "ready"
        elif word == "reset":
            lock = lock_of(kind)
            answer = "ready"
        elif word == "close":
            answer = "ready"
        elif word not in ("acquire", "release", "renew", "look", "prepare"):
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


if __name__ == "__main__":
    main()

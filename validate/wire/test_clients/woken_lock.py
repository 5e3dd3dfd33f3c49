# SPDX-License-Identifier: Apache-2.0
"""Locks whose waiters are woken by the server, over a plain socket: argv[1] says by what.

    subscribe, psubscribe, ssubscribe    a message when somebody releases; "late_...": listens only after it has
                                         found the lock held, and misses what was sent before
    script       the same, sent by the script that releases
    tracking     the server says that a key has changed (RESP3); "late_tracking": asks for that too late
    redirect     the same, told on a connection of its own (RESP2)
    blpop, brpop, blmove, bzpopmin, xread    wait at the server for the lock's one element; "two_...": a release
                                         gives back two
    gives_up     blpop, at most 5 s
    early_subscribe      listens before the driver says that it is ready
    multi_subscribe      begins to listen to two channels within a transaction
    piped_subscribe      the same, and sends the transaction word by word
    silent_subscribe     releases by commands that are not answered (CLIENT REPLY)
A number behind it: so many places ("subscribe3").
"""


from raw_lock import Lock, Redis, main

ADDS = {
    "blpop": ("RPUSH", "{key}", "t"),
    "gives_up": ("RPUSH", "{key}", "t"),
    "brpop": ("LPUSH", "{key}", "t"),
    "blmove": ("LPUSH", "{key}", "t"),
    "bzpopmin": ("ZADD", "{key}", "1", "{token}"),
    "xread": ("XADD", "{key}", "*", "t", "1"),
}
TAKES = {
    "blpop": ("BLPOP", "{key}", "0"),
    "gives_up": ("BLPOP", "{key}", "5"),
    "brpop": ("BRPOP", "{key}", "0"),
    "blmove": ("BLMOVE", "{key}", "{key}:taken", "LEFT", "RIGHT", "0"),
    "bzpopmin": ("BZPOPMIN", "{key}", "0"),
}
FILL = """if redis.call('SETNX', KEYS[1] .. ':made', 1) == 1 then
for place = 1, ARGV[1] do
if ARGV[2] == 'ZADD' then redis.call('ZADD', KEYS[1], 1, place) else redis.call(ARGV[2], KEYS[1], 't') end
end end return 1"""
RELEASE = "redis.call('DEL', KEYS[1]) redis.call('PUBLISH', 'free', 1) return 1"


class Hears(Redis):
    """Keeps what was not asked for."""

    def __init__(self):
        super().__init__()
        self.told = []

    def value(self):
        line = self.line()
        if line in (b"$-1", b"*-1", b"_"):
            return None
        if line[:1] in b"*>%":
            values = [self.value() for _ in range(int(line[1:]) * (2 if line[:1] == b"%" else 1))]
            return (values,) if line[:1] == b">" else values
        return self.line() if line[:1] == b"$" else line

    def reply(self):
        while isinstance(value := self.value(), tuple):
            self.told.append(value)
        return value

    def hear(self):
        if self.told:
            return self.told.pop(0)
        return self.value()


class WokenLock(Lock):
    def __init__(self, kind):
        super().__init__("")
        self.places = int(kind[-1]) if kind[-1].isdigit() else 1
        self.kind = kind.rstrip("0123456789")
        prefixes = ("late_", "two_", "early_", "multi_", "piped_", "silent_")
        self.how = next((self.kind[len(one):] for one in prefixes if self.kind.startswith(one)), self.kind)
        self.is_late = self.kind.startswith("late_")
        self.redis = Hears()
        self.ears = Hears()
        self.listens = False
        self.held = []
        if self.kind == "early_subscribe":
            self.begin_to_listen()

    def begin_to_listen(self):
        if self.listens:
            return
        self.listens = True
        if self.how == "tracking":
            self.redis.ask("CLIENT", "TRACKING", "ON")
        elif self.how == "redirect":
            number = self.ears.ask("CLIENT", "ID")[1:].decode()
            self.ears.ask("SUBSCRIBE", "__redis__:invalidate")
            self.redis.ask("CLIENT", "TRACKING", "ON", "REDIRECT", number)
        elif self.kind.startswith(("multi", "piped")):
            words = [("MULTI",), ("SUBSCRIBE", "other", "free"), ("EXEC",)]
            if self.kind.startswith("piped"):
                for word in words:
                    self.ears.ask(*word)
            else:
                self.ears.ask_all(*words)
            self.ears.hear()  # the second channel's answer is behind that of the transaction
        else:
            self.ears.ask(*{"psubscribe": ("PSUBSCRIBE", "fr*"), "ssubscribe": ("SSUBSCRIBE", "free")}.get(
                self.how, ("SUBSCRIBE", "free")))

    def takes_a_key(self, key):
        for place in range(self.places):
            name = f"{key}:{place}"
            if self.redis.ask("SETNX", name, 1) == b":1":
                self.held.append(name)
                return True
        return False

    def acquire(self, key):
        if self.how in ADDS:
            return self.takes_an_element(key)
        if self.how == "tracking":
            self.redis.ask("HELLO", "3")
        if not self.is_late:
            self.begin_to_listen()
        while not self.takes_a_key(key):
            if self.how in ("tracking", "redirect"):
                names = [f"{key}:{place}" for place in range(self.places)]
                if None in self.redis.ask("MGET", *names):
                    continue
            self.begin_to_listen()
            (self.redis if self.how == "tracking" else self.ears).hear()
        return "ok"

    def words(self, words, key):
        return [word.format(key=key, token=self.token) for word in words]

    def takes_an_element(self, key):
        if self.how != "xread":
            self.redis.ask("EVAL", FILL, 1, key, self.places, ADDS[self.how][0])
            return "refused" if self.redis.ask(*self.words(TAKES[self.how], key)) is None else "ok"
        last = "0"  # whoever reads that it is free tries to take it
        while self.redis.ask("SETNX", f"{key}:held", 1) != b":1":
            answer = self.redis.ask("XREAD", "BLOCK", "0", "STREAMS", f"{key}:free", last)
            last = answer[0][1][-1][0].decode()
        return "ok"

    def release(self, key):
        if self.how == "xread":
            self.redis.ask("DEL", f"{key}:held")
            self.redis.ask("XADD", f"{key}:free", "*", "t", "1")
        elif self.how in ADDS:
            for _ in range(2 if self.kind.startswith("two_") else 1):
                self.redis.ask(*self.words(ADDS[self.how], key))
        else:
            name = self.held.pop(0)
            if self.kind == "silent_subscribe":
                self.redis.send(("CLIENT", "REPLY", "SKIP"))
                self.redis.send(("DEL", name))
                self.redis.send(("CLIENT", "REPLY", "OFF"))
                self.redis.send(("PUBLISH", "free", 1))
                self.redis.ask("CLIENT", "REPLY", "ON")
            elif self.how == "script":
                self.redis.ask("EVAL", RELEASE, 1, name)
            else:
                self.redis.ask("DEL", name)
                if self.how not in ("tracking", "redirect"):
                    self.redis.ask("SPUBLISH" if self.how == "ssubscribe" else "PUBLISH", "free", 1)
        return "ok"


if __name__ == "__main__":
    main(WokenLock)

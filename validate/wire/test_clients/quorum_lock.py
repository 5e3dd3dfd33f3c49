# SPDX-License-Identifier: Apache-2.0
"""Locks on several servers over plain sockets, right and wrong: argv[1] says which.

right   asks every server, and needs most of them
any     is content with one of them
tells   right, and its errors say how servers were not reached
one     asks a single server, each caller another one
"""

import os

from raw_lock import RELEASE, Redis, main


class QuorumLock:
    def __init__(self, kind):
        self.kind = kind
        ports = os.environ["REDIS_PORTS"].split(",")
        self.needed = 1 if kind in ("any", "one") else len(ports) // 2 + 1
        if kind == "one":
            ports = [ports[int(os.environ["LOCKKEEPER_CALLER"]) % len(ports)]]
        self.servers = [Redis(port=int(port)) for port in ports]
        self.token = os.getrandom(8).hex()

    def count(self, ask):
        """How many say yes; whoever does not answer says no."""
        yes = 0
        self.failures = []
        for server in self.servers:
            try:
                yes += 1 if ask(server) else 0
            except OSError as error:
                if self.kind == "tells":
                    self.failures.append(type(error).__name__)
        return yes

    def acquire(self, key):
        granted = self.count(lambda server: server.ask("SET", key, self.token, "NX", "PX", 10_000) == b"+OK")
        if granted >= self.needed:
            return "ok"
        self.release(key)
        return "refused"

    def release(self, key):
        given = self.count(lambda server: server.ask("EVAL", RELEASE, 1, key, self.token) == b":1")
        if self.failures:
            return "error " + " ".join(self.failures)
        return "ok" if given >= self.needed else "lost"

    def misbehave(self):
        return None


if __name__ == "__main__":
    main(QuorumLock)

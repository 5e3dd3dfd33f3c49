# SPDX-License-Identifier: Apache-2.0
"""Locks on a Redis with a replica over plain sockets, right and wrong: argv[1] says which.

primary    asks the primary alone
looks      is granted what the replica shows as free
reads_back is granted what the replica shows as its own after the primary has granted it
writes     writes to the replica
waits      asks the primary how many replicas have it
reads_stream is granted what it reads at the replica from a stream of the primary's, and waits for that
listens    subscribes to a channel at the replica
"""

import os

from raw_lock import RELEASE, Redis, main


class ReplicaLock:
    def __init__(self, kind):
        self.kind = kind
        self.primary = Redis(port=int(os.environ["REDIS_PORT"]))
        self.replica = Redis(port=int(os.environ["REDIS_REPLICA_PORT"]))
        self.token = os.getrandom(8).hex()

    def acquire(self, key):
        if self.kind == "looks" and self.replica.ask("GET", key) is not None:
            return "refused"
        if self.kind == "reads_stream":
            self.primary.ask("XADD", key, "1-1", "to", self.token)
            return "ok" if self.replica.ask("XREAD", "BLOCK", 0, "STREAMS", key, 0) else "refused"
        if self.kind == "listens":
            self.replica.ask("SUBSCRIBE", key)
        server = self.replica if self.kind == "writes" else self.primary
        answer = server.ask("SET", key, self.token, *([] if self.kind == "looks" else ["NX"]), "PX", 10_000)
        if answer is not None and answer != b"+OK":
            return "error " + answer.decode()
        if self.kind == "waits":
            self.primary.ask("WAIT", 1, 100)
        if self.kind == "reads_back" and self.replica.ask("GET", key) != self.token.encode():
            return "refused"
        return "ok" if answer == b"+OK" else "refused"

    def release(self, key):
        return "ok" if self.primary.ask("EVAL", RELEASE, 1, key, self.token) == b":1" else "lost"

    def misbehave(self):
        return None


if __name__ == "__main__":
    main(ReplicaLock)

# SPDX-License-Identifier: Apache-2.0
"""A lock of tooz, the coordination library of OpenStack: argv[1] is its driver, redis or postgresql."""

import os
import sys

try:
    from tooz import coordination
except ImportError as error:
    sys.exit(f"not installed: {error.name} (python3-tooz); see examples/wire/libraries/README.md")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lockkeeper_wire import serve

KIND = sys.argv[1] if len(sys.argv) > 1 else "redis"


def url():
    if KIND == "redis":
        return os.environ["REDIS_URL"] + "?lock_timeout=10"
    return (f"postgresql://{os.environ['PGUSER']}@{os.environ['PGHOST']}:{os.environ['PGPORT']}/"
            f"{os.environ['PGDATABASE']}")


def setup(key):
    coordinator = coordination.get_coordinator(url(), f"member-{os.getpid()}".encode())
    coordinator.start()
    lock = coordinator.get_lock(key.encode())
    return {"acquire": lambda: lock.acquire(blocking=False), "release": lock.release}


serve(setup)

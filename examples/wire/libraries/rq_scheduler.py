# SPDX-License-Identifier: Apache-2.0
"""The lock of rq's scheduler (RQScheduler.acquire_locks), which one of several workers has for each queue."""

import os
import sys

try:
    import redis
    from rq.scheduler import RQScheduler
except ImportError as error:
    sys.exit(f"not installed: {error.name} (python3-rq); see examples/wire/libraries/README.md")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lockkeeper_wire import serve


def setup(key):
    scheduler = RQScheduler([key], redis.Redis.from_url(os.environ["REDIS_URL"]), interval=10)

    def release():
        scheduler.release_locks()
        return "done"

    def renew():
        scheduler.heartbeat()

    return {"acquire": lambda: bool(scheduler.acquire_locks()), "release": release, "renew": renew}


serve(setup)

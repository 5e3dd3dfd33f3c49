#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-limits 2.8.0 (Debian 12), strategy fixed window, Python 3.11.
# Expected: the documentation says that hit() consumes the limit and tells whether it was kept, and that cost is
#   what the hit costs. A hit that costs more than is left is refused, and what is left stays there for others.
# Really: the cost is added first and compared afterwards. A refused hit takes what was left, and callers
#   whose single hits would have fitted are refused until the window ends.
# Seen: the lines at the end of this script. Controls: the moving window, and a fixed window without the big hit.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-limits '2.8.0-*'

cat >"$tmp/cost.py" <<'PROGRAM'
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter

LIMIT = parse("10 per hour")


def run(strategy, costs):
    storage = MemoryStorage()
    limiter = strategy(storage)
    print(strategy.__name__)
    for cost in costs:
        answer = "granted" if limiter.hit(LIMIT, "caller", cost=cost) else "refused"
        print(f"  {cost}: {answer}, {limiter.get_window_stats(LIMIT, 'caller')[1]} left")


run(FixedWindowRateLimiter, (6, 5, 1))
run(MovingWindowRateLimiter, (6, 5, 1))
run(FixedWindowRateLimiter, (6, 1))
PROGRAM

as_stated 'FixedWindowRateLimiter
  6: granted, 4 left
  5: refused, 0 left
  1: refused, 0 left
MovingWindowRateLimiter
  6: granted, 4 left
  5: refused, 4 left
  1: granted, 3 left
FixedWindowRateLimiter
  6: granted, 4 left
  1: granted, 3 left' "$(/usr/bin/python3 "$tmp/cost.py")"

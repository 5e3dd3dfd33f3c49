#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-circuitbreaker 1.4.0 (Debian 12), Python 3.11.
# Expected: the documentation says that after the recovery time-out the breaker is half open and allows one
#   test-execution.
# Really: nobody counts. Until the first one of them has ended everybody who comes is let through: of ten callers at
#   once all ten reach the service that is to be spared, and wait for it.
# Seen: the lines at the end of this script. Controls: the ten come before the recovery time-out is over; they come
#   after the test-execution has failed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-circuitbreaker '1.4.0-*'

cat >"$tmp/half.py" <<'PROGRAM'
import threading
import time

from circuitbreaker import CircuitBreaker, CircuitBreakerError


def run(title, recovery, test_first):
    reached = []

    @CircuitBreaker(failure_threshold=1, recovery_timeout=recovery)
    def service(lasts):
        reached.append(True)
        time.sleep(lasts)
        raise OSError

    def call(lasts):
        try:
            service(lasts)
        except (OSError, CircuitBreakerError):
            pass

    call(0)
    time.sleep(2.2)
    if test_first:
        call(0)
    reached.clear()
    callers = [threading.Thread(target=call, args=(1,)) for _ in range(10)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    print(f"{title}: {len(reached)} of 10 reach the service")


run("the recovery time-out is over", 2, False)
run("control, it is not", 60, False)
run("control, the test-execution has failed", 2, True)
PROGRAM

as_stated 'the recovery time-out is over: 10 of 10 reach the service
control, it is not: 0 of 10 reach the service
control, the test-execution has failed: 0 of 10 reach the service' "$(timeout 50 /usr/bin/python3 "$tmp/half.py")"

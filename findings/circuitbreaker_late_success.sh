#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-circuitbreaker 1.4.0 (Debian 12), Python 3.11.
# Expected: the documentation says that the breaker opens after so many failures and prevents executions for the
#   recovery time-out, and that a success resets the count while it is closed.
# Really: a call that began before the failures and succeeds after them closes the open breaker, long before the
#   recovery time-out: one slow answer of ten minutes ago sends everybody to the broken service again.
# Seen: the lines at the end of this script. Controls: the slow call fails; there is none.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-circuitbreaker '1.4.0-*'

cat >"$tmp/late.py" <<'PROGRAM'
import threading

from circuitbreaker import CircuitBreaker, CircuitBreakerError


def run(title, slow_call):
    breaker = CircuitBreaker(failure_threshold=3, recovery_timeout=600)
    began, end = threading.Event(), threading.Event()

    @breaker
    def service(kind):
        if kind == "quick":
            raise OSError
        began.set()
        end.wait()
        if kind == "slow, fails":
            raise OSError

    def call(kind):
        try:
            service(kind)
        except OSError:
            return "reaches the service"
        except CircuitBreakerError:
            return "prevented"

    slow = threading.Thread(target=call, args=(slow_call,))
    if slow_call:
        slow.start()
        began.wait()
    for _ in range(3):
        call("quick")
    print(title)
    print(f"  after three failures: {breaker.state}, a call: {call('quick')}")
    end.set()
    if slow_call:
        slow.join()
    print(f"  a moment later: {breaker.state}, a call: {call('quick')}")


run("a slow call from before succeeds", "slow, succeeds")
run("control: it fails", "slow, fails")
run("control: there is none", None)
PROGRAM

as_stated 'a slow call from before succeeds
  after three failures: open, a call: prevented
  a moment later: closed, a call: reaches the service
control: it fails
  after three failures: open, a call: prevented
  a moment later: open, a call: prevented
control: there is none
  after three failures: open, a call: prevented
  a moment later: open, a call: prevented' "$(timeout 50 /usr/bin/python3 "$tmp/late.py")"

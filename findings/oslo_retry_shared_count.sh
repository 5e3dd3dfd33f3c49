#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-oslo.service 3.0.0 (Debian 12; loopingcall.RetryDecorator), Python 3.11.
# Expected: the decorated function is retried up to max_retry_count times when it fails, says its comment; after the
#   first wait of inc_sleep_time.
# Really: the number of failures and the length of the wait are kept for the function, not for the call, and nothing sets
#   them back. With three retries the third failure in the life of the program is the last that is retried, however many
#   calls have succeeded in between; from then on each failure goes to the caller at once.
# Seen: the lines at the end of this script. Control: the function is decorated for each call.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-oslo.service '3.0.0-*'
debian python3 '3.11.*'

cat >"$tmp/retry.py" <<'PROGRAM'
import time

from oslo_service import loopingcall


class Busy(Exception):
    pass


def run(title, each_call):
    retried = loopingcall.RetryDecorator(max_retry_count=3, inc_sleep_time=0.2, max_sleep_time=5, exceptions=(Busy,))
    tries = []

    def ask():
        tries.append(time.monotonic())
        if len(tries) == 1:
            raise Busy()
        return "answer"

    kept = retried(ask)
    print(title)
    for call in range(1, 6):
        tries.clear()
        if each_call:
            retried = loopingcall.RetryDecorator(3, 0.2, 5, (Busy,))
            kept = retried(ask)
        try:
            told = kept()
        except Busy:
            told = "Busy"
        waited = round(tries[-1] - tries[0], 1)
        print(f"call {call}, the service is busy once: {told} after {len(tries)} tries and a wait of {waited} s")


run("one function", False)
run("control: decorated for each call", True)
PROGRAM

as_stated 'one function
call 1, the service is busy once: answer after 2 tries and a wait of 0.2 s
call 2, the service is busy once: answer after 2 tries and a wait of 0.4 s
call 3, the service is busy once: answer after 2 tries and a wait of 0.6 s
call 4, the service is busy once: Busy after 1 tries and a wait of 0.0 s
call 5, the service is busy once: Busy after 1 tries and a wait of 0.0 s
control: decorated for each call
call 1, the service is busy once: answer after 2 tries and a wait of 0.2 s
call 2, the service is busy once: answer after 2 tries and a wait of 0.2 s
call 3, the service is busy once: answer after 2 tries and a wait of 0.2 s
call 4, the service is busy once: answer after 2 tries and a wait of 0.2 s
call 5, the service is busy once: answer after 2 tries and a wait of 0.2 s' "$(timeout 60 /usr/bin/python3 "$tmp/retry.py" 2>/dev/null)"

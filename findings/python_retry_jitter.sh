#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-retry 0.9.2 (Debian 12), Python 3.11.
# Expected: jitter is "extra seconds added to delay between attempts", and no wait is longer than max_delay
#   (retry_call()).
# Really: it stays: each wait is longer than the one before by one more jitter, so that of 1 s with up to 1 s the tenth
#   is about 5 s, with a fixed jitter 10 s. The first wait has none: callers that fail together ask together. It is not
#   bounded by max_delay, either.
# Seen: the lines at the end of this script, with a clock of the program. Control: no jitter.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-retry '0.9.2-*'
debian python3 '3.11.*'

cat >"$tmp/jitter.py" <<'PROGRAM'
import random
from unittest import mock

from retry.api import retry_call


def waits(**options):
    slept = []

    def fail():
        raise ConnectionError

    with mock.patch("time.sleep", slept.append):
        try:
            retry_call(fail, tries=11, logger=None, **options)
        except ConnectionError:
            pass
    return slept


print("a fixed jitter of 1 s:", *waits(delay=1, jitter=1))
random.seed(1)
callers = [waits(delay=1, jitter=(0, 1)) for caller in range(1000)]
print(f"a jitter of up to 1 s, 1000 callers: {len({caller[0] for caller in callers})} kinds of first waits,",
      f"the tenth is {round(sum(caller[9] for caller in callers) / 1000)} s on average")
print("max_delay of 3 s, delay 10 s:", *waits(delay=10, max_delay=3)[:4])
print("control, no jitter:", *waits(delay=1))
PROGRAM

as_stated 'a fixed jitter of 1 s: 1 2 3 4 5 6 7 8 9 10
a jitter of up to 1 s, 1000 callers: 1 kinds of first waits, the tenth is 5 s on average
max_delay of 3 s, delay 10 s: 10 3 3 3
control, no jitter: 1 1 1 1 1 1 1 1 1 1' "$(/usr/bin/python3 "$tmp/jitter.py")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-pykka 3.1.1 (Debian 12; Future.map), Python 3.11.
# Expected: the documentation says that the value of a future can be retrieved multiple times and that map() gives a new
#   future. Its function runs once, whatever it returns.
# Really: the future keeps its result, and None stands for "no result yet". A function that returns nothing runs again
#   with each get(): what it is for is done twice and three times.
# Seen: the lines at the end of this script. Controls: the same function with the result 0, and with True.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-pykka '3.1.1-*'

cat >"$tmp/map.py" <<'PROGRAM'
import pykka


def run(title, result):
    sent = []

    def send(value):
        sent.append(value)
        return result

    answer = pykka.ThreadingFuture()
    mapped = answer.map(send)
    answer.set("letter")
    results = [mapped.get() for _ in range(3)]
    print(f"{title}: three times get() gives {results}, sent {len(sent)}")


run("a function that returns None", None)
run("control, 0", 0)
run("control, True", True)
PROGRAM

as_stated 'a function that returns None: three times get() gives [None, None, None], sent 3
control, 0: three times get() gives [0, 0, 0], sent 1
control, True: three times get() gives [True, True, True], sent 1' "$(timeout 50 /usr/bin/python3 "$tmp/map.py")"

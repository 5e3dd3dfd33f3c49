#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-expiringdict 1.1.4 (Debian 12), Python 3.11.
# Expected: a dictionary of at most 3 entries throws out the oldest one when a fourth is added. An entry that is there
#   and is stored again needs no room.
# Really: whenever it is full each store throws the oldest one out, also the store of a key that is there: the renewal of
#   one lease ends the lease of another holder, in a dictionary that has room for all three.
# Seen: the lines at the end of this script. Controls: it is not full; the oldest one is renewed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-expiringdict '1.1.4-*'
debian python3 '3.11.*'

cat >"$tmp/renewed.py" <<'PROGRAM'
from expiringdict import ExpiringDict


def run(title, room, stores):
    leases = ExpiringDict(max_len=room, max_age_seconds=3600)
    for key in stores:
        leases[key] = "holder"
    print(f"{title}: left {' '.join(sorted(leases.keys()))}")


run("3 of 3, C is renewed", 3, "ABCC")
run("3 of 3, B is renewed", 3, "ABCB")
run("control, 3 of 3, A is renewed, the oldest one", 3, "ABCA")
run("control, 3 of 4, C is renewed", 4, "ABCC")
PROGRAM

as_stated '3 of 3, C is renewed: left B C
3 of 3, B is renewed: left B C
control, 3 of 3, A is renewed, the oldest one: left A B C
control, 3 of 4, C is renewed: left A B C' "$(/usr/bin/python3 "$tmp/renewed.py")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-aiorpcx 0.22.1 (Debian 12), Python 3.11.
# Expected: timeout_after() cancels the caller once, when its time is over; blocks can be nested, says its comment.
# Really: when an inner block ends because the outer one's time is over, the outer time is set again, at an instant that
#   is past. Whatever the outer block awaits to clean up is cancelled a second time: a lock that is given back by a
#   message is not given back.
# Seen: the lines at the end of this script. Controls: no inner block; the cleaning up is within the inner block.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-aiorpcx '0.22.1-*'
debian python3 '3.11.*'

cat >"$tmp/outer.py" <<'PROGRAM'
import asyncio

from aiorpcx import TaskTimeout, timeout_after


async def run(title, inner, outside):
    seen = []

    async def clean_up():
        seen.append("begins to clean up")
        try:
            await asyncio.sleep(0.2)
        except asyncio.CancelledError:
            seen.append("is cancelled again")
            raise
        seen.append("has cleaned up")

    async def work():
        try:
            await asyncio.sleep(5)
        finally:
            if not outside:
                await clean_up()

    try:
        async with timeout_after(0.1):
            try:
                if inner:
                    async with timeout_after(10):
                        await work()
                else:
                    await work()
            finally:
                if outside:
                    await clean_up()
    except TaskTimeout:
        seen.append("timed out")
    except asyncio.CancelledError as error:
        seen.append(type(error).__name__)
    print(f"{title}: " + ", ".join(seen))


async def main():
    await run("cleaning up behind an inner block", True, True)
    await run("control, no inner block", False, True)
    await run("control, within the inner block", True, False)


asyncio.run(main())
PROGRAM

as_stated 'cleaning up behind an inner block: begins to clean up, is cancelled again, timed out
control, no inner block: begins to clean up, has cleaned up, timed out
control, within the inner block: begins to clean up, has cleaned up, timed out' "$(/usr/bin/python3 "$tmp/outer.py")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-async-lru 1.0.3 (Debian 12), Python 3.11.
# Expected: with cache_exceptions=False a call that failed is not kept, the next one calls the function again.
# Really: a function that ends by a cancellation, because a task for which it waited was cancelled, does not count as
#   failed: the cancellation is kept as the answer. The service works again, and each later caller of that key
#   is ended by a CancelledError that nobody sent.
# Seen: the lines at the end of this script. Controls: the function ends by another error; another key.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-async-lru '1.0.3-*'
debian python3 '3.11.*'

cat >"$tmp/cancelled.py" <<'PROGRAM'
import asyncio

from async_lru import alru_cache


async def run(title, end, keys):
    calls = 0

    @alru_cache(cache_exceptions=False)
    async def read(key):
        nonlocal calls
        calls += 1
        if calls == 1:
            await connection
        return f"value of {key}"

    # The connection for which the first call waits ends, later ones need none.
    connection = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.1, end, connection)
    seen = []
    for key in keys:
        try:
            seen.append(await asyncio.ensure_future(read(key)))
        except (asyncio.CancelledError, ConnectionError) as error:
            seen.append(type(error).__name__)
    print(f"{title}: {', '.join(seen)}; the function was called {calls} times")


async def main():
    cancel, fail = lambda future: future.cancel(), lambda future: future.set_exception(ConnectionError())
    await run("its connection is cancelled", cancel, ["door"] * 4)
    await run("control, its connection fails", fail, ["door"] * 4)
    await run("control, another key", cancel, ["door", "gate", "gate"])


asyncio.run(main())
PROGRAM

as_stated 'its connection is cancelled: CancelledError, CancelledError, CancelledError, CancelledError; the function was called 1 times
control, its connection fails: ConnectionError, value of door, value of door, value of door; the function was called 2 times
control, another key: CancelledError, value of gate, value of gate; the function was called 2 times' "$(/usr/bin/python3 "$tmp/cancelled.py")"

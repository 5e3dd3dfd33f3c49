#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-aiopg 1.4.0 with postgresql-15 (Debian 12), Python 3.11.
# Expected: acquire() waits while all connections are in use. A connection that comes back in a transaction is closed, and
#   the pool is below its maximum: who waits gets a new one.
# Really: release() wakes nobody when it closes the connection. Who waits sleeps beside an empty pool until its time-out,
#   60 s if nothing else is said, while a newcomer is served at once.
# Seen: the lines at the end of this script, 1 s after the release. Controls: the transaction has ended; nobody waited
#   before the release.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-aiopg '1.4.0-*'
debian python3-psycopg2 '2.9.*'
debian python3 '3.11.*'
start_postgresql lc_messages=C

cat >"$tmp/pool.py" <<'PROGRAM'
import asyncio
import sys
import warnings

import aiopg

warnings.simplefilter("ignore")


async def run(title, end, waits):
    async with aiopg.create_pool(f"host={sys.argv[1]} user=tester dbname=postgres", minsize=0, maxsize=1) as pool:
        seen = {}

        async def ask(name):
            seen[name] = "waits"
            connection = await pool.acquire()
            seen[name] = "is served"
            await asyncio.sleep(0)
            await pool.release(connection)

        held = await pool.acquire()
        async with held.cursor() as cursor:
            await cursor.execute("BEGIN")
            await cursor.execute(end)
        callers = []
        if waits:
            callers.append(asyncio.ensure_future(ask("B")))
            await asyncio.sleep(0.3)
        await pool.release(held)
        await asyncio.sleep(1)
        size = pool.size
        told = f"B {seen['B']}, " if waits else ""
        callers.append(asyncio.ensure_future(ask("C")))
        await asyncio.sleep(1)
        print(f"{title}: {told}{size} of 1 connections, then C {seen['C']}")
        for caller in callers:
            caller.cancel()


async def main():
    await run("A releases in a transaction, B waits", "SELECT 1", True)
    await run("control, A has ended it", "COMMIT", True)
    await run("control, nobody waits", "SELECT 1", False)


asyncio.run(main())
PROGRAM

as_stated 'A releases in a transaction, B waits: B waits, 0 of 1 connections, then C is served
control, A has ended it: B is served, 1 of 1 connections, then C is served
control, nobody waits: 0 of 1 connections, then C is served' "$(timeout 60 /usr/bin/python3 "$tmp/pool.py" "$tmp" 2>/dev/null)"

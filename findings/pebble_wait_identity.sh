#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-pebble 5.0.3 with python3-fasteners 0.17.3 (Debian 12), Python 3.11.
# Expected: waitforthreads() waits until one of the threads has ended. What the others do meanwhile is not touched; so a
#   lock that knows its writer by threading.current_thread(), as that of fasteners, has one writer at a time.
# Really: for the time of the wait it replaces threading.get_ident() by a function that returns None. All threads are
#   then the same one, a dummy without a name, also in the log. Who asks for the write lock that another one holds is taken
#   for its holder and gets in.
# Seen: the lines at the end of this script. Control: nobody waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-pebble '5.0.3-*'
debian python3-fasteners '0.17.3-*'
debian python3 '3.11.*'

cat >"$tmp/identity.py" <<'PROGRAM'
import threading
import time

import fasteners
import pebble


def run(title, waits):
    lock = fasteners.ReaderWriterLock()
    leave = threading.Event()
    begin = {"A": threading.Event(), "B": threading.Event()}
    told = {}

    def writer(name):
        begin[name].wait()
        told[name] = "waits"
        with lock.write_lock():
            called = threading.current_thread().name
            told[name] = f"writes as {'a dummy' if called.startswith('Dummy-') else called}"
            leave.wait()

    threads = [threading.Thread(target=writer, name=name, args=(name,)) for name in begin]
    for thread in threads:
        thread.start()
    if waits:
        threading.Thread(target=pebble.waitforthreads, args=(threads,)).start()
        time.sleep(0.3)
    for event in begin.values():
        event.set()
        time.sleep(0.3)
    print(f"{title}: A {told['A']}, B {told['B']}", flush=True)
    leave.set()


threading.excepthook = lambda args: None
run("control, nobody waits", False)
time.sleep(0.5)
run("another thread waits by waitforthreads()", True)
PROGRAM

as_stated 'control, nobody waits: A writes as A, B waits
another thread waits by waitforthreads(): A writes as a dummy, B writes as a dummy' "$(timeout 20 /usr/bin/python3 "$tmp/identity.py" 2>/dev/null)"

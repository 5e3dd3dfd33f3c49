# SPDX-License-Identifier: Apache-2.0
"""A process holds the lock and is killed. Exit code 1: a second later the lock is still not to be had."""

import multiprocessing
import os
import sys
import tempfile
import time

from filelock import SoftFileLock, Timeout


def hold(path, held):
    lock = SoftFileLock(path)
    lock.acquire()
    held.set()
    time.sleep(60)


with tempfile.TemporaryDirectory() as folder:
    path, held = os.path.join(folder, "lock"), multiprocessing.Event()
    holder = multiprocessing.Process(target=hold, args=(path, held))
    holder.start()
    held.wait(10)
    holder.kill()
    holder.join()
    try:
        SoftFileLock(path).acquire(timeout=1).lock.release()
        print("kept")
        code = 0
    except Timeout:
        print("the holder is dead, and nobody gets the lock")
        code = 1
sys.exit(code)

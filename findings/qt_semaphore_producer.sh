#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libqt5core5a 5.15.8 (Debian 12; QSystemSemaphore), by python3-pyqt5 5.15.9.
# Expected: the manual says that release() makes resources that another process can acquire, more than there were as
#   well, that a typical use is a buffer of producers and consumers, and that the end of a process takes back what it
#   acquired and did not release. Nothing is said of the end of a process that released.
# Really: the end takes back releases, too. A producer makes three resources, is told true each time, ends normally, and
#   the count is what it was before. Each process is reckoned by itself: if one takes the only place and another one
#   gives it back, the end of the first makes a second place, and two hold what is there once.
# Seen: the lines at the end of this script, where the counts are those of the kernel. Controls: the producer lives; a
#   process acquires as much as it releases; a process ends with what it acquired, as the manual says.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libqt5core5a '5.15.8+*'
debian python3-pyqt5 '5.15.9+*'

cat >"$tmp/process.py" <<'PROGRAM'
import sys
from PyQt5.QtCore import QSystemSemaphore
initial, mode = int(sys.argv[1]), getattr(QSystemSemaphore, sys.argv[2])
semaphore = QSystemSemaphore("jobs", initial, mode)
print("ready", flush=True)
for line in sys.stdin:
    print(getattr(semaphore, line.strip())(), flush=True)
del semaphore
PROGRAM

cat >"$tmp/producers.py" <<'PROGRAM'
import ctypes, glob, os, subprocess, sys

folder = sys.argv[1]
GETVAL = 12


class Process:
    def __init__(self, initial, mode="Open"):
        self.it = subprocess.Popen([sys.executable, folder + "/process.py", str(initial), mode], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.it.stdout.readline() == "ready\n"

    def does(self, what, times=1):
        for _ in range(times):
            self.it.stdin.write(what + "\n")
            self.it.stdin.flush()
            assert self.it.stdout.readline() == "True\n"

    def ends(self):
        self.it.stdin.close()
        assert self.it.wait() == 0


def count():
    """The kernel's count; the key is the ftok() of the file that Qt has made for it."""
    (path,) = glob.glob(folder + "/qipc_systemsem_*")
    file = os.stat(path)
    key = ord("Q") << 24 | (file.st_dev & 0xFF) << 16 | file.st_ino & 0xFFFF
    system = ctypes.CDLL(None)
    return system.semctl(system.semget(ctypes.c_int(key), 1, 0), 0, GETVAL, 0)


def run(title, initial, *steps):
    """Steps are (process, what it does, how often)."""
    server = Process(initial, "Create")
    processes, seen = {}, [f"count {count()}"]
    for name, what, *times in steps:
        if name not in processes:
            processes[name] = Process(initial)
        if what == "ends":
            processes.pop(name).ends()
        else:
            processes[name].does(what, *times)
        seen.append(" ".join([name, what, *map(str, times)]) + f": {count()}")
    print(f"{title}: " + ", ".join(seen))
    for process in processes.values():
        process.ends()
    server.ends()


run("producer", 0, ("P", "release", 3), ("P", "ends"))
run("helper", 1, ("A", "acquire"), ("B", "release"), ("C", "acquire"), ("A", "ends"), ("D", "acquire"))
run("control, the producer lives", 0, ("P", "release", 3), ("C", "acquire", 3))
run("control, as much each", 1, ("A", "acquire"), ("A", "release"), ("A", "ends"), ("B", "acquire"), ("B", "release"))
run("control, acquired alone", 3, ("C", "acquire", 3), ("C", "ends"))
PROGRAM

export TMPDIR=$tmp
as_stated 'producer: count 0, P release 3: 3, P ends: 0
helper: count 1, A acquire: 0, B release: 1, C acquire: 0, A ends: 1, D acquire: 0
control, the producer lives: count 0, P release 3: 3, C acquire 3: 0
control, as much each: count 1, A acquire: 0, A release: 1, A ends: 1, B acquire: 0, B release: 1
control, acquired alone: count 3, C acquire 3: 0, C ends: 3' "$(/usr/bin/python3 "$tmp/producers.py" "$tmp" 2>&1)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: Linux 6.12 or later (seen with 6.18), read by Python 3.11 of Debian 12.
# Expected: proc(5) says that /proc/PID/wchan names where in the kernel a process sleeps; one whose state is S, and that
#   nobody wakes, has a name there.
# Really: beside busy processes one that has worked and then sleeps stays in the queue for a processor until its turn
#   would come, for milliseconds to a tenth of a second. Its state is S, its wchan is 0, and so is the wchan of one that
#   is about to run. Whoever reads /proc/PID/syscall takes it out of the queue: the next look has the name.
# Seen: the lines at the end of this script. Control: the same, with a read of syscall before the second look.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3.11 '3.11.*'
IFS=.- read -r major minor _ < <(uname -r)
if ((major * 1000 + minor < 6012)); then
    echo "needs Linux 6.12 or later, found $(uname -r): nothing was judged" >&2
    exit 2
fi

cat >"$tmp/sleeper.py" <<'PROGRAM'
import fcntl
import os
import signal
import struct
import termios
import time

LOOKS, ROUNDS = 20, 400


def child(run):
    process = os.fork()
    if process == 0:
        run()
        os._exit(0)
    return process


def busy():
    while True:
        pass


work, give = os.pipe()


def works_and_sleeps():
    while os.read(work, 1):
        end = time.perf_counter() + 0.004
        while time.perf_counter() < end:
            pass


children = [child(busy) for _ in range(2 * os.cpu_count())]
sleeper = child(works_and_sleeps)
children.append(sleeper)
state, channel = (os.open(f"/proc/{sleeper}/{name}", os.O_RDONLY) for name in ("stat", "wchan"))
sleeps = lambda: os.pread(state, 512, 0).rsplit(b")", 1)[1][1:2] == b"S"
has_no_name = lambda: os.pread(channel, 64, 0) == b"0"
is_taken = lambda: struct.unpack("i", fcntl.ioctl(work, termios.FIONREAD, b"\0" * 4))[0] == 0


def rounds_without_name(reads_syscall):
    found = 0
    for _ in range(ROUNDS):
        os.write(give, b"x")
        while not (is_taken() and sleeps()):
            pass
        if reads_syscall and has_no_name():
            with open(f"/proc/{sleeper}/syscall", encoding="ascii") as file:
                file.read()
        looks = 1 if reads_syscall else LOOKS
        found += all(sleeps() and has_no_name() for _ in range(looks))
        while has_no_name():
            pass
    return found


try:
    plain, control = rounds_without_name(False), rounds_without_name(True)
finally:
    for process in children:
        os.kill(process, signal.SIGKILL)
print(f"asleep without a name at {LOOKS} looks, one after the other: {'now and then' if plain else 'never'}")
print(f"after a read of syscall: {'now and then' if control else 'never'}")
PROGRAM

as_stated 'asleep without a name at 20 looks, one after the other: now and then
after a read of syscall: never' "$(timeout 250 /usr/bin/python3 "$tmp/sleeper.py")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: php8.2-cli 8.2 (its sysvsem functions) and python3-sysv-ipc 1.0.0 (Debian 12), on one semaphore.
# Expected: a System V semaphore belongs to the kernel, so programs of any language exclude each other by
#   its key. The PHP manual says that sem_get() sets the number of places only when it finds that its
#   process is the only one attached; a process that holds a place is attached, one should think.
# Really: "attached" is a count of PHP's own beside the semaphore; Python's holder is not in it. The
#   sem_get() of a PHP process that comes alone sets the semaphore to 1: PHP gets the place beside Python,
#   and after Python's release a semaphore of one place has two, until PHP comes alone again.
# Seen: the lines at the end of this script. Control: the same while another PHP process is attached.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php8.2-cli '8.2.*'
debian python3-sysv-ipc '1.0.0-*'

cat >"$tmp/meet.py" <<'PROGRAM'
import os
import subprocess
import sysv_ipc


def php(key, code, **options):
    code = f"$place = sem_get({key}, 1, 0600); {code}"
    return subprocess.Popen(["php8.2", "-r", code], stdout=subprocess.PIPE, text=True, **options)


def ask(key):
    return php(key, "echo sem_acquire($place, true) ? 'granted' : 'refused';").communicate()[0]


def again(semaphore):
    try:
        semaphore.acquire(0)
        return "granted"
    except sysv_ipc.BusyError:
        return "refused"


def run(attached):
    key = 0x10000000 + 2 * os.getpid() + attached
    print("PHP makes it:", ask(key))
    semaphore = sysv_ipc.Semaphore(key)
    try:
        other = php(key, "echo '.'; fgets(STDIN);", stdin=subprocess.PIPE) if attached else None
        if other:
            other.stdout.read(1)
        print("Python:", again(semaphore))
        print("Python again:", again(semaphore))
        print("PHP:", ask(key))
        semaphore.release()
        print("Python has given back, free:", semaphore.value)
        if other:
            other.communicate("\n")
        ask(key)
        print("one more PHP came and went, free:", semaphore.value)
    finally:
        semaphore.remove()


run(False)
print("control: another PHP process is attached")
run(True)
PROGRAM

as_stated 'PHP makes it: granted
Python: granted
Python again: refused
PHP: granted
Python has given back, free: 2
one more PHP came and went, free: 1
control: another PHP process is attached
PHP makes it: granted
Python: granted
Python again: refused
PHP: refused
Python has given back, free: 1
one more PHP came and went, free: 1' "$(/usr/bin/python3 "$tmp/meet.py")"

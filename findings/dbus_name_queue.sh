#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: dbus-daemon 1.14 with python3-dbus 1.3.2 (Debian 12). The owner of a bus name is used as a lock.
# Expected: the specification says of a name whose owner cannot be replaced that a newcomer is appended to the
#   queue, and that of a caller who waits already only the flags change. REPLACE_EXISTING is not kept, it
#   counts only at the moment of the request.
# Really: a request that cannot replace the owner goes to the head of the queue. A newcomer with that flag stands before all
#   who wait, and who waits needs only to ask again with it to pass them: the name is theirs next.
# Seen: the lines at the end of this script; the owner is the first of each list. Control: the same requests
#   without the flag.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian dbus-daemon '1.14.*'
debian python3-dbus '1.3.2-*'

cat >"$tmp/bus.conf" <<CONFIGURATION
<busconfig>
  <listen>unix:path=$tmp/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
  </policy>
</busconfig>
CONFIGURATION

cat >"$tmp/queue.py" <<'PROGRAM'
import sys

from dbus.bus import NAME_FLAG_REPLACE_EXISTING, BusConnection

NAME = "org.example.Lock"
ANSWERS = {1: "owner", 2: "in the queue"}


def daemon(caller, method, signature, *arguments):
    place = "org.freedesktop.DBus"
    return caller.call_blocking(place, "/org/freedesktop/DBus", place, method, signature, arguments)


def run(flag):
    callers = {letter: BusConnection(sys.argv[1]) for letter in "ABCDE"}
    letters = {caller.get_unique_name(): letter for letter, caller in callers.items()}

    def show(what):
        queue = daemon(callers["E"], "ListQueuedOwners", "s", NAME)
        print(f"{what}: {' '.join(letters[str(name)] for name in queue)}")

    def ask(letter, flag):
        answer = daemon(callers[letter], "RequestName", "su", NAME, flag)
        show(f"{letter} asks, {ANSWERS[answer]}")

    for letter in "ABC":
        ask(letter, 0)
    ask("D", flag)
    ask("C", flag)
    callers["A"].release_name(NAME)
    show("A releases")
    for caller in callers.values():
        caller.close()


print("D and C ask with REPLACE_EXISTING")
run(NAME_FLAG_REPLACE_EXISTING)
print("control: without it")
run(0)
PROGRAM

background dbus-daemon --config-file="$tmp/bus.conf" --nofork --nopidfile 2>"$tmp/log"
patiently test -S "$tmp/bus"
as_stated 'D and C ask with REPLACE_EXISTING
A asks, owner: A
B asks, in the queue: A B
C asks, in the queue: A B C
D asks, in the queue: A D B C
C asks, in the queue: A C D B
A releases: C D B
control: without it
A asks, owner: A
B asks, in the queue: A B
C asks, in the queue: A B C
D asks, in the queue: A B C D
C asks, in the queue: A B C D
A releases: B C D' "$(/usr/bin/python3 "$tmp/queue.py" "unix:path=$tmp/bus")"

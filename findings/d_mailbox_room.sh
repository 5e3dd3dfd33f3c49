#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: gdc 12.2 (Debian 12; std.concurrency of D's standard library).
# Expected: the documentation of setMaxMailboxSize() says that it limits the messages in a thread's mailbox, and
#   of OnCrowding.block that a sender waits "until room is available".
# Really: a sender is woken only when the receiver asks again and finds the mailbox empty. In a box of 2 it sleeps
#   beside one free place, then beside two, while the message of a newcomer goes in at once. A receiver that works for
#   long between two messages, or takes as many as it knows of, stops its producers although the box is empty.
# Seen: the lines at the end of this script. Controls: the newcomer; OnCrowding.throwException, which finds the room.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian gdc '4:12.2.*'

cat >"$tmp/box.d" <<'PROGRAM'
import core.atomic, core.thread, core.time;
import std.concurrency, std.stdio;

shared int sent;

// Sends one message after the other, at once or again and again until there is room.
void sender(Tid to, int from, int count)
{
    foreach (i; from .. from + count)
        for (;;) {
            try {
                send(to, i);
                break;
            } catch (MailboxFull) {
                Thread.sleep(10.msecs);
            }
        }
}

void counted(Tid to)
{
    foreach (i; 1 .. 4) {
        sender(to, i, 1);
        atomicOp!"+="(sent, 1);
    }
}

void settle() { Thread.sleep(500.msecs); }

void take(string what)
{
    receive((int i) { writeln(what, " takes ", i); });
    settle();
}

void run(string title, OnCrowding crowding)
{
    writeln(title);
    atomicStore(sent, 0);
    setMaxMailboxSize(thisTid, 2, crowding);
    spawn(&counted, thisTid);
    settle();
    writeln("in the box: 2 of 2, the sender has sent ", atomicLoad(sent), " of 3");
    take("the receiver");
    writeln("the sender has sent ", atomicLoad(sent), " of 3");
    if (atomicLoad(sent) == 2) {
        spawn(&sender, thisTid, 9, 1);
        settle();
        writeln("a newcomer sends 9");
        take("the receiver");
        take("the receiver");
        writeln("in the box: 0 of 2, the sender has sent ", atomicLoad(sent), " of 3");
        take("the receiver asks on an empty box and");
    } else {
        take("the receiver");
        take("the receiver");
    }
}

void main(string[] arguments)
{
    stdout.setvbuf(0, _IOLBF);
    if (arguments[1] == "waits")
        run("a sender that waits", OnCrowding.block);
    else
        run("control: a sender that asks again", OnCrowding.throwException);
}
PROGRAM
/usr/bin/gdc -o "$tmp/box" "$tmp/box.d"

as_stated 'a sender that waits
in the box: 2 of 2, the sender has sent 2 of 3
the receiver takes 1
the sender has sent 2 of 3
a newcomer sends 9
the receiver takes 2
the receiver takes 9
in the box: 0 of 2, the sender has sent 2 of 3
the receiver asks on an empty box and takes 3
control: a sender that asks again
in the box: 2 of 2, the sender has sent 2 of 3
the receiver takes 1
the sender has sent 3 of 3
the receiver takes 2
the receiver takes 3' "$(timeout 20 "$tmp/box" waits; timeout 20 "$tmp/box" asks)"

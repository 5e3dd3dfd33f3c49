#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcommons-lang3-java 3.12.0 (Debian 12; TimedSemaphore), with OpenJDK 17.
# Expected: acquire() waits until the end of the period when its limit is used up; after shutdown() it raises an
#   IllegalStateException. With a limit of 0 there is no limit, so that nobody waits.
# Really: shutdown() ends the timer and wakes nobody. Who waits at that moment sleeps for ever, and no newcomer can
#   wake it. setLimit() wakes nobody either: who waits sleeps on until the end of the period, an hour here, while
#   newcomers get in beside it.
# Seen: the lines at the end of this script, 0.5 s after each call. Control: the period ends.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcommons-lang3-java '3.12.0-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Timed.java" <<'PROGRAM'
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.concurrent.TimedSemaphore;

public class Timed {
    interface Change { void apply(TimedSemaphore semaphore); }

    static class Caller extends Thread {
        volatile String seen = "waits";
        final TimedSemaphore semaphore;

        Caller(TimedSemaphore semaphore) {
            this.semaphore = semaphore;
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            try {
                semaphore.acquire();
                seen = "gets in";
            } catch (IllegalStateException error) {
                seen = "is refused";
            } catch (InterruptedException error) {
                seen = "is interrupted";
            }
        }
    }

    // A takes the only permit of a period, B waits, then there is the change, then C comes.
    static void run(String title, long hours, Change change) throws Exception {
        TimedSemaphore semaphore = new TimedSemaphore(hours == 0 ? 1 : hours, hours == 0 ? TimeUnit.SECONDS : TimeUnit.HOURS, 1);
        semaphore.acquire();
        Caller b = new Caller(semaphore);
        while (b.getState() != Thread.State.WAITING)
            Thread.sleep(1);
        change.apply(semaphore);
        Thread.sleep(500);
        Caller c = new Caller(semaphore);
        Thread.sleep(hours == 0 ? 3000 : 500);
        System.out.println(title + ": B " + b.seen + ", C " + c.seen);
    }

    public static void main(String[] arguments) throws Exception {
        run("shut down", 1, TimedSemaphore::shutdown);
        run("without a limit", 1, semaphore -> semaphore.setLimit(TimedSemaphore.NO_LIMIT));
        run("limit of 5", 1, semaphore -> semaphore.setLimit(5));
        run("control, the period of 1 s ends", 0, semaphore -> { });
        System.exit(0);
    }
}
PROGRAM

java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
as_stated 'shut down: B waits, C is refused
without a limit: B waits, C gets in
limit of 5: B waits, C gets in
control, the period of 1 s ends: B gets in, C gets in' "$("${java[0]}" -cp /usr/share/java/commons-lang3.jar "$tmp/Timed.java")"

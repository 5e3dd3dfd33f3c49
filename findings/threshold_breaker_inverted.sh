#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcommons-lang3-java 3.12.0 (Debian 12; ThresholdCircuitBreaker), with OpenJDK 17.
# Expected: the interface CircuitBreaker says that the result of incrementAndCheckState() tells whether the breaker is
#   closed, and the example of ThresholdCircuitBreaker handles a request when the result is true.
# Really: its result tells whether the breaker is open. A program that follows the example refuses all requests below
#   the threshold, and handles all of them once the threshold has been passed.
# Seen: the lines at the end of this script. Control: EventCountCircuitBreaker, by the same program.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcommons-lang3-java '3.12.0-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Inverted.java" <<'PROGRAM'
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.commons.lang3.concurrent.AbstractCircuitBreaker;
import org.apache.commons.lang3.concurrent.EventCountCircuitBreaker;
import org.apache.commons.lang3.concurrent.ThresholdCircuitBreaker;

public class Inverted {
    // Five requests of size 2 come to a breaker whose threshold is 5.
    static void run(String title, AbstractCircuitBreaker<?> breaker, BooleanSupplier ask) {
        System.out.println(title);
        for (int request = 1; request <= 5; request++) {
            String answer = ask.getAsBoolean() ? "handled" : "refused";
            System.out.println("sum " + 2 * request + ": " + answer + ", the breaker is " + (breaker.isOpen() ? "open" : "closed"));
        }
    }

    public static void main(String[] arguments) {
        ThresholdCircuitBreaker sum = new ThresholdCircuitBreaker(5);
        run("ThresholdCircuitBreaker", sum, () -> sum.incrementAndCheckState(2L));
        EventCountCircuitBreaker count = new EventCountCircuitBreaker(5, 1, TimeUnit.HOURS);
        run("control: EventCountCircuitBreaker", count, () -> count.incrementAndCheckState(2));
    }
}
PROGRAM

java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
as_stated 'ThresholdCircuitBreaker
sum 2: refused, the breaker is closed
sum 4: refused, the breaker is closed
sum 6: handled, the breaker is open
sum 8: handled, the breaker is open
sum 10: handled, the breaker is open
control: EventCountCircuitBreaker
sum 2: handled, the breaker is closed
sum 4: handled, the breaker is closed
sum 6: refused, the breaker is open
sum 8: refused, the breaker is open
sum 10: refused, the breaker is open' "$("${java[0]}" -cp /usr/share/java/commons-lang3.jar "$tmp/Inverted.java")"

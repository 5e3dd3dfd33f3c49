#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: r-cran-ratelimitr 0.4.1 (Debian 12), R 4.2.
# Expected: a function that is limited to 10 calls in a second runs 10 times in a second, whatever a call ends with.
# Really: a call gives its token back at its end, and it does so as well if one of its arguments fails, before a token was
#   taken. From then on each token comes back to the place that is looked at next, and is not good before a whole period:
#   after one argument that fails the limit is 1 call in a second, also after a rest.
# Seen: the lines at the end of this script. Controls: no failure; the function fails, not its argument.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian r-cran-ratelimitr '0.4.1-*'
debian r-base-core '4.2.*'

cat >"$tmp/argument.R" <<'PROGRAM'
suppressMessages(library(ratelimitr))

# Calls in four seconds of a function that is limited to ten in one.
run <- function(title, before) {
    limited <- limit_rate(function(x) if (x == "bad") stop("it fails") else x, rate(n = 10, period = 1))
    before(limited)
    Sys.sleep(1.5)
    end <- Sys.time() + 4
    calls <- 0
    while (Sys.time() < end && calls < 30) {
        limited("good")
        calls <- calls + 1
    }
    cat(title, ": ", if (calls <= 6) "at most six" else if (calls >= 12) "twelve or more" else calls,
        " calls in 4 s\n", sep = "")
}

run("an argument failed once", function(limited) try(limited(stop("no such job")), silent = TRUE))
run("control, nothing failed", function(limited) limited("good"))
run("control, the function failed once", function(limited) try(limited("bad"), silent = TRUE))
PROGRAM

as_stated 'an argument failed once: at most six calls in 4 s
control, nothing failed: twelve or more calls in 4 s
control, the function failed once: twelve or more calls in 4 s' "$(timeout 50 /usr/bin/Rscript "$tmp/argument.R" 2>&1)"

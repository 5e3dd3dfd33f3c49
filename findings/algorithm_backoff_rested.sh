#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libalgorithm-backoff-perl 0.009 (Debian 12).
# Expected: the manual says of consider_actual_delay that with a delay of 2 s a failure at once after another one is
#   answered with 2 + 2 s, and one that comes 4 s later or more with 0.
# Really: the time by which a pause exceeds the delay is kept as a credit, without a bound. After a pause of 100 s a
#   failure and 48 more at that same second are answered with 0: a caller that obeys asks fifty times without a rest.
#   A pause that ends with a success earns credit as well.
# Seen: the lines at the end of this script. Controls: a pause of 2 s; consider_actual_delay is not set.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libalgorithm-backoff-perl '0.009-*'

cat >"$tmp/rested.pl" <<'PROGRAM'
use strict;
use warnings;
use Algorithm::Backoff::Constant;

# A failure at second 1000, the next event after the pause, and then failures at that same second.
sub run {
    my ($title, $consider, $pause, $event) = @_;
    my $backoff = Algorithm::Backoff::Constant->new(delay => 2, consider_actual_delay => $consider);
    my $now = 1000;
    $backoff->failure($now);
    $now += $pause;
    my $first = $backoff->$event($now);
    my $at_once = 0;
    $at_once++ while $at_once < 1000 && $backoff->failure($now) == 0;
    print "$title: wait $first s, then $at_once failures with 0 s each\n";
}

run('a failure after 100 s', 1, 100, 'failure');
run('a success after 100 s', 1, 100, 'success');
run('control, a failure after 2 s', 1, 2, 'failure');
run('control, actual delays are not considered', 0, 100, 'failure');
PROGRAM

as_stated 'a failure after 100 s: wait 0 s, then 48 failures with 0 s each
a success after 100 s: wait 0 s, then 49 failures with 0 s each
control, a failure after 2 s: wait 2 s, then 0 failures with 0 s each
control, actual delays are not considered: wait 2 s, then 0 failures with 0 s each' "$(perl "$tmp/rested.pl")"

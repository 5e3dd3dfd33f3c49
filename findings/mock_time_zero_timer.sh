#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libtest-mock-time-perl 0.1.7 (Debian 12), with libev-perl 4.33.
# Expected: ff(10) runs the callbacks of timers that expire within ten seconds of the mocked time, or that have expired.
# Really: the time of the next timer is 0 if there is none, and also if one is due at the very beginning of the test. A
#   timer of 0 s that is set before any time has passed never fires, and, being the first one, it keeps all others from
#   firing, however far the time goes on. A test that nothing happens passes.
# Seen: the lines at the end of this script. Controls: the timer of 0 s is set one second later; no such timer.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libtest-mock-time-perl '0.1.7-*'
debian libev-perl '4.33-*'

cat >"$tmp/program.pl" <<'PROGRAM'
use strict;
use warnings;
use Test::Mock::Time;
use EV;

# Timers, set after some seconds of the mocked time, and then half a minute of it in three steps.
sub run {
    my ($title, $before, @after) = @_;
    my (@fired, @watchers);
    ff($before) if $before;
    for my $after (@after) {
        push @watchers, EV::timer($after, 0, sub { push @fired, $after });
    }
    ff(10) for 1 .. 3;
    print "$title: fired ", (@fired ? join(', ', @fired) : 'none'), "\n";
}

# A program for each case, since the time goes on.
if (!@ARGV) {
    $| = 1;
    system $^X, $0, $_ for 0 .. 2;
    exit;
}
run('timers of 0 s and 5 s at the beginning', 0, 0, 5) if $ARGV[0] == 0;
run('control, the same a second later', 1, 0, 5) if $ARGV[0] == 1;
run('control, timers of 1 s and 5 s at the beginning', 0, 1, 5) if $ARGV[0] == 2;
PROGRAM

as_stated 'timers of 0 s and 5 s at the beginning: fired none
control, the same a second later: fired 0, 5
control, timers of 1 s and 5 s at the beginning: fired 1, 5' "$(/usr/bin/perl "$tmp/program.pl" 2>&1)"

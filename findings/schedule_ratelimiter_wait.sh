#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libschedule-ratelimiter-perl 0.01 (Debian 12).
# Expected: the manual says that event() waits until the next event may take place, that no more than so many take place
#   within the time that one states, and shows it: with two in 10 s the third one is 10 s after the first one, the
#   fourth one 10 s after the second one.
# Really: an event that had to wait is noted with the time when it was asked for, before the wait. So the next one finds
#   that its time is over already: of one caller in a loop every second call does not wait, and one event a
#   second becomes two. With two in a time that one states it is three.
# Seen: the lines at the end of this script. Control: event(block => 0), asked again until it says yes.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libschedule-ratelimiter-perl '0.01-*'

cat >"$tmp/wait.pl" <<'PROGRAM'
use strict;
use warnings;
use Schedule::RateLimiter;
use Time::HiRes qw(time sleep);

# Events without work of their own, and how many of them took place together. They are 2 s apart, or not at all.
sub run {
    my ($title, $iterations, $events, $ask) = @_;
    my $limiter = Schedule::RateLimiter->new(seconds => 2, iterations => $iterations);
    my ($last, @together) = (0);
    for (1 .. $events) {
        $ask->($limiter);
        my $now = time;
        push @together, 0 if $now - $last > 1;
        $together[-1]++;
        $last = $now;
    }
    print "$title: @together\n";
}

my $wait = sub { shift->event };
my $again = sub {
    my $limiter = shift;
    sleep 0.01 until $limiter->event(block => 0);
};
run('1 in 2 s, it waits', 1, 5, $wait);
run('2 in 2 s, it waits', 2, 8, $wait);
run('control, 1 in 2 s, asked again', 1, 3, $again);
run('control, 2 in 2 s, asked again', 2, 6, $again);
PROGRAM

as_stated '1 in 2 s, it waits: 1 2 2
2 in 2 s, it waits: 2 3 3
control, 1 in 2 s, asked again: 1 1 1
control, 2 in 2 s, asked again: 2 2 2' "$(timeout 50 /usr/bin/perl "$tmp/wait.pl" 2>&1)"

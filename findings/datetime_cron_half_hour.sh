#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libdatetime-event-cron-perl 0.09 (Debian 12; DateTime::Event::Cron), Perl 5.36.
# Expected: next() gives the next time of the schedule. A job of each day at 3 is due on each day on which there is a 3
#   o'clock.
# Really: where the clock moves from 02:00 to 02:30 the hours after the missing time are looked at from half past on. Asked
#   on the day before, it passes the jobs at 3 and at 11 on the day of the change: the pause is 48 h.
# Seen: the lines at the end of this script, for Lord Howe, whose summer time is half an hour. Controls: Sydney on the
#   same day, where the clock moves from 2 to 3; Lord Howe one day earlier.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libdatetime-event-cron-perl '0.09-*'
debian perl '5.36.*'

cat >"$tmp/half.pl" <<'PROGRAM'
use strict;
use warnings;
use DateTime;
use DateTime::Event::Cron;

sub run {
    my ($title, $zone, $expression, $month, $day) = @_;
    my $at = DateTime->new(year => 2023, month => $month, day => $day, hour => 12, time_zone => $zone);
    my $next = DateTime::Event::Cron->new($expression)->next($at);
    print "$title, $expression: ", $next->strftime('%b %e %H:%M %z'), "\n";
}

run('Lord Howe, after September 30', 'Australia/Lord_Howe', '0 3 * * *', 9, 30);
run('Lord Howe, after September 30', 'Australia/Lord_Howe', '0 11 * * *', 9, 30);
run('control, Lord Howe, after September 29', 'Australia/Lord_Howe', '0 3 * * *', 9, 29);
run('control, Sydney, after September 30', 'Australia/Sydney', '0 3 * * *', 9, 30);
run('control, Sydney, after September 30', 'Australia/Sydney', '0 11 * * *', 9, 30);
PROGRAM

as_stated 'Lord Howe, after September 30, 0 3 * * *: Oct  2 03:00 +1100
Lord Howe, after September 30, 0 11 * * *: Oct  2 11:00 +1100
control, Lord Howe, after September 29, 0 3 * * *: Sep 30 03:00 +1030
control, Sydney, after September 30, 0 3 * * *: Oct  1 03:00 +1100
control, Sydney, after September 30, 0 11 * * *: Oct  1 11:00 +1100' "$(perl "$tmp/half.pl")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libset-crontab-perl 1.03 and libschedule-cron-events-perl 1.96 (Debian 12), Perl 5.36.
# Expected: a field of a crontab names a set of numbers: "0,*/15" is 0, 15, 30 and 45, as crontab(5) has it, and a job is
#   due once in each of these minutes. The manual says that nextEvent() gives the event after the one before, and
#   previousEvent() the one that precedes it.
# Really: Set::Crontab keeps what two parts of a field have in common twice. Schedule::Cron::Events walks along that list:
#   a job of "0,*/15" is due twice at the full hour, "10-14,13-16" twice in two minutes, and previousEvent() gives the
#   same instant again.
# Seen: the lines at the end of this script. Control: the same minutes, written without an overlap.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libset-crontab-perl '1.03-*'
debian libschedule-cron-events-perl '1.96-*'

cat >"$tmp/twice.pl" <<'PROGRAM'
use strict;
use warnings;
use Schedule::Cron::Events;
use Set::Crontab;

sub events {
    my ($title, $minutes) = @_;
    my $list = join ' ', Set::Crontab->new($minutes, [0 .. 59])->list;
    my $events = Schedule::Cron::Events->new("$minutes 9 * * * job", Date => [0, 0, 8, 1, 0, 120]);
    my %due;
    while (1) {
        my (undef, $minute, $hour, $day) = $events->nextEvent;
        last if $day > 1;
        $due{sprintf '%02d:%02d', $hour, $minute}++;
    }
    my @twice = grep { $due{$_} > 1 } sort keys %due;
    print "$title $minutes: $list; ", scalar(keys %due), ' minutes, due twice: ', (join(' ', @twice) || 'none'), "\n";
}

events('minutes', '0,*/15');
events('minutes', '10-14,13-16');
events('control, minutes', '0,15,30,45');
events('control, minutes', '10-16');
my $back = Schedule::Cron::Events->new('0,*/30 * * * * job', Date => [30, 10, 9, 1, 0, 120]);
print 'backwards from 09:10:30: ', join(' ', map { my @date = $back->previousEvent; sprintf '%02d:%02d', @date[2, 1] } 1 .. 4),
    "\n";
PROGRAM

as_stated 'minutes 0,*/15: 0 0 15 30 45; 4 minutes, due twice: 09:00
minutes 10-14,13-16: 10 11 12 13 13 14 14 15 16; 7 minutes, due twice: 09:13 09:14
control, minutes 0,15,30,45: 0 15 30 45; 4 minutes, due twice: none
control, minutes 10-16: 10 11 12 13 14 15 16; 7 minutes, due twice: none
backwards from 09:10:30: 09:00 09:00 08:30 08:00' "$(timeout 20 /usr/bin/perl "$tmp/twice.pl" 2>&1)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libschedule-cron-perl 1.05 (Debian 12), Perl 5.36.
# Expected: a job that deletes its own entry runs once, the other jobs of that second run as ever; the manual warns that
#   deleting changes the order of the list that a caller has fetched.
# Really: the scheduler goes on by the old numbers: the job behind the deleted one is left out, and at the last number it
#   ends with an internal error.
# Seen: the lines at the end of this script. Controls: the last job deletes itself; nobody does.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libschedule-cron-perl '1.05-*'
debian perl '5.36.*'

cat >"$tmp/deleted.pl" <<'PROGRAM'
use strict;
use warnings;
use Schedule::Cron;

# Three jobs of each second, in one process. Ends at the first second after which something has run.
sub run {
    my ($title, $once) = @_;
    my @ran;
    my $cron;
    my $job = sub {
        my ($name) = @_;
        push @ran, $name;
        $cron->delete_entry($cron->check_entry($name)) if $name eq $once;
    };
    $cron = Schedule::Cron->new($job, {
        nofork => 1, nostatus => 1,
        sleep => sub { die "a second later\n" if @ran; select(undef, undef, undef, 0.05) },
    });
    $cron->add_entry('* * * * * *', $_) for qw(first second third);
    eval { $cron->run };
    my $end = $@ =~ /^(a second later|Internal: No entry with index \d+)/ ? $1 : $@;
    print "$title: run are @ran; then: $end\n";
}

run('the first one deletes itself', 'first');
run('control, the last one deletes itself', 'third');
run('control, nobody does', '');
PROGRAM

as_stated 'the first one deletes itself: run are first third; then: Internal: No entry with index 2
control, the last one deletes itself: run are first second third; then: a second later
control, nobody does: run are first second third; then: a second later' "$(/usr/bin/perl "$tmp/deleted.pl")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libschedule-cron-perl 1.05 (Debian 12), Perl 5.36.
# Expected: clean_timetable() removes all entries; check_entry() is undefined when there is no entry of that id, so that
#   `defined(check_entry(...)) || add_entry(...)` adds it, much as in the manual.
# Really: the ids stay: after clean_timetable() check_entry() gives the place of an entry that is gone, or that of another
#   job, and the job is not added again. update_entry() under another id leaves the old id, too.
# Seen: the lines at the end of this script. Control: the entry is deleted by delete_entry().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libschedule-cron-perl '1.05-*'
debian perl '5.36.*'

cat >"$tmp/cleaned.pl" <<'PROGRAM'
use strict;
use warnings;
use Schedule::Cron;

# The timetable as it is after the jobs have been asked for once more.
sub run {
    my ($title, $change) = @_;
    my $cron = Schedule::Cron->new(sub { });
    my $need = sub { defined $cron->check_entry($_) || $cron->add_entry('0 3 * * *', $_) for @_ };
    $need->('rotate', 'backup');
    $change->($cron);
    $need->('mail', 'rotate', 'backup');
    print "$title: ", join(', ', map { $_->{args}[0] } $cron->list_entries), "\n";
}

run('all removed, then three asked for', sub { $_[0]->clean_timetable });
run('rotate is changed into sweep', sub { $_[0]->update_entry(0, {time => '0 4 * * *', args => ['sweep']}) });
run('control, all deleted one by one', sub { $_[0]->delete_entry(0) for 1, 2 });
PROGRAM

as_stated 'all removed, then three asked for: mail
rotate is changed into sweep: sweep, backup, mail
control, all deleted one by one: mail, rotate, backup' "$(/usr/bin/perl "$tmp/cleaned.pl")"

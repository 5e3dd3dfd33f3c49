#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libthread-pool-simple-perl 0.25 (Debian 12; Thread::Pool::Simple), Perl 5.36.
# Expected: remove() waits for the result of a job and returns when the job is done.
# Really: all who wait for a result wait on one condition, and the end of a job wakes one of them, whichever job it
#   waits for. One that is woken for the job of another sleeps again and wakes nobody: the result of a short job is
#   there, and the thread that waits for it sleeps until a long job of somebody else is done. remove_nb() would have had
#   it.
# Seen: the lines at the end of this script. Controls: the one who waits for the short job came first; it waits alone.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libthread-pool-simple-perl '0.25-*'

cat >"$tmp/late.pl" <<'PROGRAM'
use strict;
use warnings;
use POSIX ();
use threads;
use Thread::Pool::Simple;
use Time::HiRes qw(sleep time);

$| = 1;

sub work {
    my ($seconds) = @_;
    sleep $seconds;
    return $seconds;
}

# Jobs of two seconds and of nine. Threads wait for their results, each half a second after the one before.
sub run {
    my ($title, @order) = @_;
    my $pool = Thread::Pool::Simple->new(min => 2, max => 2, do => [\&work]);
    sleep 3;
    my $began = time;
    my %id;
    ($id{$_}) = $pool->add($_) foreach 2, 9;
    my %waiter;
    foreach my $seconds (@order) {
        $waiter{$seconds} = threads->create(sub {
            my ($result) = $pool->remove($id{$seconds});
            return time - $began;
        });
        sleep 0.5;
    }
    my $took = $waiter{2}->join;
    return "$title: the result of the short job comes " . ($took < 6 ? 'when it is done' : 'after the long one') . "\n";
}

my @runs = map {
    my @one = @$_;
    threads->create(sub { run(@one) });
} ['the other one waited before', 9, 2], ['control, the other one waits behind', 2, 9], ['control, alone', 2];
print map { $_->join } @runs;
# The pools' own threads go on until the process ends.
POSIX::_exit(0);
PROGRAM

as_stated 'the other one waited before: the result of the short job comes after the long one
control, the other one waits behind: the result of the short job comes when it is done
control, alone: the result of the short job comes when it is done' "$(timeout 50 /usr/bin/perl "$tmp/late.pl")"

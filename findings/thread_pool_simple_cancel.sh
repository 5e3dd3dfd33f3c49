#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libthread-pool-simple-perl 0.25 (Debian 12; Thread::Pool::Simple), Perl 5.36.
# Expected: cancel() cancels a job, as the synopsis says. One that still waits for a worker is not done.
# Really: the worker looks whether the job was cancelled and means to go on to the next one. Its condition takes the
#   value of the mark that it removes, and the mark of a cancelled job is 0, which counts as false: it does the job all
#   the same. cancel_all() has no effect either.
# Seen: the lines at the end of this script. Control: nobody cancels.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libthread-pool-simple-perl '0.25-*'

cat >"$tmp/cancel.pl" <<'PROGRAM'
use strict;
use warnings;
use POSIX ();
use threads;
use threads::shared;
use Thread::Pool::Simple;

$| = 1;
my %ran :shared;
my $gate :shared = 0;

# The job of the gate occupies the only worker until the gate is opened.
sub work {
    my ($name) = @_;
    { lock %ran; $ran{$name} = 1; cond_broadcast %ran; }
    if ($name eq 'gate') {
        lock $gate;
        cond_wait $gate until $gate;
    }
    return $name;
}

# Two jobs wait behind the gate. One of them, both or none is cancelled, then the gate is opened.
sub run {
    my ($title, $cancel) = @_;
    %ran = ();
    $gate = 0;
    my $pool = Thread::Pool::Simple->new(min => 1, max => 1, do => [\&work]);
    $pool->add('gate');
    { lock %ran; cond_wait %ran until $ran{gate}; }
    my %id;
    $id{$_} = $pool->add($_) for qw(first second);
    $cancel->($pool, \%id);
    { lock $gate; $gate = 1; cond_broadcast $gate; }
    sleep 2;
    printf "%s: first %s, second %s\n", $title, map { $ran{$_} ? 'is done' : 'is not done' } qw(first second);
}

run('cancel of the first', sub { $_[0]->cancel($_[1]{first}) });
run('cancel_all()', sub { $_[0]->cancel_all });
run('control, no cancel', sub { });
# The pools' own threads go on until the process ends.
POSIX::_exit(0);
PROGRAM

as_stated 'cancel of the first: first is done, second is done
cancel_all(): first is done, second is done
control, no cancel: first is done, second is done' "$(timeout 50 /usr/bin/perl "$tmp/cancel.pl")"

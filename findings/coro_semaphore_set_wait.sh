#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcoro-perl 6.570 (Debian 12; Coro::SemaphoreSet).
# Expected: the manual says that wait() of a set is that of Coro::Semaphore on the named one, and of that one that a try
#   that follows succeeds. In a set with the initial count 0, made so that somebody else has to up() first, it waits.
# Really: it returns at once, with the count at 0, and the try that follows fails. A name of which nobody has asked yet
#   counts as free, whatever the initial count of the set is. The first call of sem() or down() makes it right, and
#   up() makes it wrong again, for a semaphore that is back at its first count is thrown away.
# Seen: the lines at the end of this script. Controls: the name is known by sem(); a Coro::Semaphore of 0.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcoro-perl '6.570-*'

cat >"$tmp/set.pl" <<'PROGRAM'
use strict;
use warnings;
use Coro;
use Coro::Semaphore;
use Coro::SemaphoreSet;

sub settle { Coro::cede() for 1 .. 50 }

sub run {
    my ($title, $set, @name) = @_;
    my $told = 'waits';
    my $count = $set->count(@name);
    my $waiter = async {
        $set->wait(@name);
        $told = 'returns, then try() says ' . ($set->try(@name) ? 'yes' : 'no');
    };
    settle();
    print "$title: count $count, wait() $told";
    if ($told eq 'waits') {
        $set->up(@name);
        settle();
        print ", after up() it $told";
    }
    print "\n";
}

run('set of 0, a new name', Coro::SemaphoreSet->new(0), 'job');
my $known = Coro::SemaphoreSet->new(0);
$known->sem('job');
run('control, set of 0, a known name', $known, 'job');
run('control, semaphore of 0', Coro::Semaphore->new(0));
run('control, set of 1, a new name', Coro::SemaphoreSet->new(1), 'job');
PROGRAM

as_stated 'set of 0, a new name: count 0, wait() returns, then try() says no
control, set of 0, a known name: count 0, wait() waits, after up() it returns, then try() says yes
control, semaphore of 0: count 0, wait() waits, after up() it returns, then try() says yes
control, set of 1, a new name: count 1, wait() returns, then try() says yes' "$(timeout 50 /usr/bin/perl "$tmp/set.pl" 2>&1)"

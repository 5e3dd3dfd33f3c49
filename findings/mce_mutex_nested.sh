#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libmce-perl 1.884 (Debian 12; MCE::Mutex), Perl 5.36.
# Expected: the documentation says that a process may lock the mutex again while it holds it, that it stays
#   locked until unlock, and that synchronize locks, runs its block and unlocks. So a synchronize inside of
#   another one leaves the outer block alone.
# Really: the end of the inner block unlocks for both, and the outer block goes on without the mutex. The
#   mutex of a pipe, which is the usual one, writes its token at the end of each block, so the pipe then
#   has two, and two processes hold the mutex at once from then on. The mutex of a file has one place again
#   when the outer block has ended.
# Seen: the lines at the end of this script. Controls: locked twice and unlocked, without a block; and the
#   mutex of a file afterwards.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian perl '5.36.*'
debian libmce-perl '1.884-*'

cat >"$tmp/nested.pl" <<'PROGRAM'
use strict;
use warnings;
use MCE::Mutex;

$| = 1;

# Another process asks, and gives back what it got.
sub ask {
    my ($mutex, $when) = @_;
    my $child = fork // die $!;
    if (!$child) {
        my $granted = $mutex->timedwait(1);
        print "$when: ", $granted ? "granted\n" : "refused\n";
        $mutex->unlock if $granted;
        exec 'true';
    }
    waitpid $child, 0;
}

for my $mutex (MCE::Mutex->new, MCE::Mutex->new(path => "$ARGV[0]/lock")) {
    print $mutex->impl, "\n";
    $mutex->lock;
    $mutex->lock;
    ask($mutex, 'control, locked twice');
    $mutex->unlock;
    ask($mutex, 'control, unlocked');
    $mutex->synchronize(sub {
        $mutex->synchronize(sub { ask($mutex, 'in the inner block') });
        ask($mutex, 'in the outer block');
    });
    $mutex->lock;
    ask($mutex, 'locked afterwards');
    $mutex->unlock;
}
PROGRAM

as_stated 'Channel
control, locked twice: refused
control, unlocked: granted
in the inner block: refused
in the outer block: granted
locked afterwards: granted
Flock
control, locked twice: refused
control, unlocked: granted
in the inner block: refused
in the outer block: granted
locked afterwards: refused' "$(/usr/bin/perl "$tmp/nested.pl" "$tmp")"

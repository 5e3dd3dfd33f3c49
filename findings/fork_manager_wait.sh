#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: libanyevent-forkmanager-perl 0.07 with libanyevent-perl (Debian 12).
# Expected: wait_all_children() calls back when all processes that were forked have finished; on_finish is optional.
# Really: the call back is a part of on_finish. If all have finished before the question it never comes, since none
#   finishes any more. Without an on_finish the end of the child raises an error in the event loop in place of it.
# Seen: the lines at the end of this script, 2 s after the question. Control: one child runs, with an on_finish.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libanyevent-forkmanager-perl '0.07-*'
debian libanyevent-perl '7.*'

cat >"$tmp/wait.pl" <<'PROGRAM'
use strict;
use warnings;
use AnyEvent;
use AnyEvent::ForkManager;

my $error;

sub seconds {
    my ($length) = @_;
    my $end = AnyEvent->condvar;
    my $timer = AnyEvent->timer(after => $length, cb => sub { $end->send });
    eval { $end->recv; 1 } or $error = 'an error in the loop';
}

# One child of 0.2 s. The question comes so many seconds after its start.
sub run {
    my ($title, $later, $on_finish) = @_;
    my ($finished, $told) = (0, 0);
    $error = 'no error';
    my $manager = AnyEvent::ForkManager->new(max_workers => 2);
    $manager->on_finish(sub { $finished++ }) if $on_finish;
    $manager->start(cb => sub { select undef, undef, undef, 0.2 });
    seconds($later) if $later;
    my $left = $manager->num_workers;
    $manager->wait_all_children(cb => sub { $told++ });
    seconds(2);
    printf "%s: %d run at the question, %d later, called back %d times, %s\n", $title, $left, $manager->num_workers, $told,
        $error;
}

$| = 1;
run('the child has finished before', 1, 1);
run('without an on_finish', 0, 0);
run('control', 0, 1);
PROGRAM

as_stated 'the child has finished before: 0 run at the question, 0 later, called back 0 times, no error
without an on_finish: 1 run at the question, 0 later, called back 0 times, an error in the loop
control: 1 run at the question, 0 later, called back 1 times, no error' "$(PERL_ANYEVENT_MODEL=Perl perl "$tmp/wait.pl")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libthread-conveyor-perl 0.20 (Debian 12; Thread::Conveyor), Perl 5.36.
# Expected: the manual says that putting is halted when the maximum number of boxes (50, or `maxboxes`) is exceeded,
#   until so many are taken that `minboxes` are left; that is there because a growing belt uses too much memory.
# Really: nobody is ever halted. put() returns before it looks at the number of boxes, unless it is halted already: with
#   maxboxes 5 a thousand boxes are put, and nobody takes any. maxboxes() says 5.
# Seen: the lines at the end of this script. Control: Thread::Queue of Perl with a limit of 5.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libthread-conveyor-perl '0.20-*'

cat >"$tmp/belt.pl" <<'PROGRAM'
use strict;
use warnings;
use POSIX ();
use threads;
use threads::shared;
use Thread::Conveyor;
use Thread::Queue;
use Time::HiRes qw(sleep time);

$| = 1;

# A producer of a thousand boxes and nobody who takes any.
sub run {
    my ($title, $put) = @_;
    my $count : shared = 0;
    threads->create(sub {
        foreach my $box (1 .. 1000) {
            $put->($box);
            $count++;
        }
    })->detach;
    my $end = time + 2;
    sleep 0.1 while $count < 1000 && time < $end;
    print "$title: put $count\n";
}

my $belt = Thread::Conveyor->new({ maxboxes => 5, minboxes => 2 });
run('Thread::Conveyor, at most ' . $belt->maxboxes, sub { $belt->put(@_) });
print 'on the belt: ', $belt->onbelt, "\n";
my $usual = Thread::Conveyor->new;
run('as it is made without options, at most ' . $usual->maxboxes, sub { $usual->put(@_) });
my $queue = Thread::Queue->new;
$queue->limit = 5;
run('control: Thread::Queue, at most 5', sub { $queue->enqueue(@_) });
POSIX::_exit(0);
PROGRAM

as_stated 'Thread::Conveyor, at most 5: put 1000
on the belt: 1000
as it is made without options, at most 50: put 1000
control: Thread::Queue, at most 5: put 5' "$(timeout 50 /usr/bin/perl "$tmp/belt.pl")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfile-queue-perl 1.01a (Debian 12; File::Queue 1.01), Perl 5.36.
# Expected: the manual says that reset() empties the queue. Nothing is dequeued after it.
# Really: reset() sets the reading position back to the start of the file and leaves the file as it is. It takes nothing
#   away: what waits stays, and all that was dequeued since the queue was last empty is in the queue again and is done a
#   second time. A new object on the same file, as after a restart, does the same.
# Seen: the lines at the end of this script. Controls: without reset(); after the queue has been empty.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfile-queue-perl '1.01*'

cat >"$tmp/reset.pl" <<'PROGRAM'
use strict;
use warnings;
use File::Queue;

my ($folder) = @ARGV;
my $count = 0;

# Four jobs, of which some are done. Then reset(), or not, and the same or another object takes all that is left.
sub run {
    my ($title, $done, $reset, $again) = @_;
    my $file = "$folder/queue" . ++$count;
    my $queue = File::Queue->new(file => $file);
    $queue->enq($_) for 1 .. 4;
    my @first = map { $queue->deq } 1 .. $done;
    $queue->reset if $reset;
    $queue = File::Queue->new(file => $file) if $again;
    my @later;
    while (defined(my $job = $queue->deq)) {
        push @later, $job;
    }
    printf "%s: done before %s; afterwards %s\n", $title, join(' ', @first) || '-', join(' ', @later) || '-';
}

run('reset after two', 2, 1, 0);
run('reset before the first', 0, 1, 0);
run('reset after two, a new object', 2, 1, 1);
run('control, no reset', 2, 0, 1);
run('control, reset after all', 4, 1, 1);
PROGRAM

# Its new() makes Perl warn of an iteration over a hash.
as_stated 'reset after two: done before 1 2; afterwards 1 2 3 4
reset before the first: done before -; afterwards 1 2 3 4
reset after two, a new object: done before 1 2; afterwards 1 2 3 4
control, no reset: done before 1 2; afterwards 3 4
control, reset after all: done before 1 2 3 4; afterwards -' "$(/usr/bin/perl "$tmp/reset.pl" "$tmp" 2>"$tmp/warnings")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfile-queue-perl 1.01a (Debian 12; File::Queue 1.01), Perl 5.36.
# Expected: the queue is a file, and several processes may open it: one that finds nothing to do leaves it as it is. The
#   manual's caveats are of the size of the file only.
# Really: each object reads the position once, when it is made. A worker that was there before the queue was last empty
#   stands behind the end of the file, takes that for an empty queue, and cuts the file to nothing: the jobs that wait
#   are gone, and nobody is told. And each worker does from its own position on what others have done already.
# Seen: the lines at the end of this script. Controls: each look is made through a new object; one worker.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfile-queue-perl '1.01*'

cat >"$tmp/worker.pl" <<'PROGRAM'
use strict;
use warnings;
use File::Queue;

my ($folder) = @ARGV;
my $count = 0;

# A and B open the queue, or do so anew at each look. Three jobs come, and the workers look in the stated order until
# nothing is left. Then the jobs 4 and 5 come, and the workers look again.
sub run {
    my ($title, $anew, @order) = @_;
    my $file = "$folder/queue" . ++$count;
    my %kept;
    $kept{$_} = File::Queue->new(file => $file) foreach qw(A B producer);
    my @done;
    my $look = sub {
        foreach my $name (@order) {
            my $job = ($anew ? File::Queue->new(file => $file) : $kept{$name})->deq;
            push @done, "$name $job" if defined $job;
        }
    };
    foreach my $jobs ([1 .. 3], [4 .. 5]) {
        $kept{producer}->enq("job$_") foreach @$jobs;
        $look->();
        print $jobs->[0] == 1 ? "$title: " : '; of 4 and 5 ', join(', ', @done) || 'none is done';
        @done = ();
    }
    print "\n";
}

run('two workers in turns', 0, qw(A B A B A B));
run('B does two, then A', 0, qw(B B A A A));
run('control, two workers that open it anew', 1, qw(A B A B A B));
run('control, one worker', 0, qw(A A A A));
PROGRAM

# Its new() makes Perl warn of an iteration over a hash.
as_stated 'two workers in turns: A job1, B job1, A job2, B job2, A job3; of 4 and 5 A job4, B job4, A job5
B does two, then A: B job1, B job2, A job1, A job2, A job3; of 4 and 5 none is done
control, two workers that open it anew: A job1, B job2, A job3; of 4 and 5 A job4, B job5
control, one worker: A job1, A job2, A job3; of 4 and 5 A job4, A job5' \
    "$(/usr/bin/perl "$tmp/worker.pl" "$tmp" 2>"$tmp/warnings")"

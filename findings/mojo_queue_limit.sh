#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libmojo-ioloop-readwriteprocess-perl 0.33 (Debian 12; Mojo::IOLoop::ReadWriteProcess::Queue), Perl 5.36.
# Expected: the manual sets the limit once, before the first add(): at most maximum_processes run in parallel, what is
#   added beyond it waits in the queue.
# Really: the end of the first process replaces the pool by a copy without that process, and a copy has the limit of a
#   new pool, 100. The first batch keeps the limit, because each end starts one process at most. Whatever is added
#   after the first end runs at once: of six processes in a queue of two all six.
# Seen: the lines at the end of this script. Controls: the first batch; a queue of its own for the second one.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libmojo-ioloop-readwriteprocess-perl '0.33-*'

cat >"$tmp/limit.pl" <<'PROGRAM'
use strict;
use warnings;
use Mojo::IOLoop::ReadWriteProcess qw(process queue);

my $folder = shift;

# A process that stays until all that may run have had five seconds to begin, or all six are there.
sub job {
    my ($name) = @_;
    return process(sub {
        open my $file, '>', "$folder/in.$name" or exit 1;
        close $file;
        my $most = 0;
        for (1 .. 50) {
            my $now = () = glob "$folder/in.*";
            $most = $now if $now > $most;
            last if $most == 6;
            select undef, undef, undef, 0.1;
        }
        open my $saw, '>', "$folder/saw.$name" or exit 1;
        print $saw $most;
        close $saw;
        select undef, undef, undef, 1;
        unlink "$folder/in.$name";
        exit 0;
    })->set_pipes(0)->internal_pipes(0);
}

sub new_queue {
    my $queue = queue;
    $queue->pool->maximum_processes(2);
    $queue->queue->maximum_processes(10);
    return $queue;
}

sub batch {
    my ($title, $queue, $count) = @_;
    unlink glob "$folder/*";
    $queue->add(job($_)) for 1 .. $count;
    $queue->consume;
    my $most = 0;
    foreach my $name (glob "$folder/saw.*") {
        open my $file, '<', $name or die;
        my $saw = <$file>;
        $most = $saw if $saw > $most;
    }
    print "$title: $most at once of $count, the pool's limit is then ", $queue->pool->maximum_processes, "\n";
}

my $queue = new_queue();
print "limit ", $queue->pool->maximum_processes, "\n";
batch('control, the first batch', $queue, 4);
batch('the second batch', $queue, 6);
batch('control, a queue of its own', new_queue(), 4);
PROGRAM

mkdir "$tmp/jobs"
as_stated 'limit 2
control, the first batch: 2 at once of 4, the pool'"'"'s limit is then 100
the second batch: 6 at once of 6, the pool'"'"'s limit is then 100
control, a queue of its own: 2 at once of 4, the pool'"'"'s limit is then 100' \
    "$(timeout 100 /usr/bin/perl "$tmp/limit.pl" "$tmp/jobs" 2>&1)"

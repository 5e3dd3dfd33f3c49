#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: perl 5.36.0 (Debian 12), Thread::Queue 3.14 of its library.
# Expected: the manual says that end() declares that no more items come, and that none may be placed in the queue from
#   then on. pending() is undef once the queue is ended and empty, so a worker that sees undef may leave. An enqueue()
#   that still waits for a place under the limit should be refused, as each later one is.
# Really: enqueue() looks for the end when it begins, and not again after its wait. Whoever takes the last items of the
#   ended queue makes room for it: the item goes in, its producer gets no error, and pending() goes from undef back
#   to 1. The workers have left by then, so nobody does that job. It happens when a program that shuts down calls end()
#   and stores what is left, while a producer waits.
# Seen: the lines at the end of this script. Controls: an enqueue() that begins after the end; a queue without an end.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian perl '5.36.0-*'

cat >"$tmp/queue.pl" <<'PROGRAM'
use strict;
use warnings;
use threads;
use threads::shared;
use Thread::Queue 3.14;

$| = 1;

# Whether enqueue() returns or raises its error.
sub put {
    my ($queue, $job) = @_;
    return "$job is accepted" if eval { $queue->enqueue($job); 1 };
    return $@ =~ /been 'end'ed/ ? "$job is refused, the queue is ended" : $@;
}

sub count {
    my ($queue) = @_;
    return $queue->pending() // "undef";
}

# One place, taken by the first job. A producer waits with the second one.
sub full_queue {
    my $queue = Thread::Queue->new("first");
    $queue->limit = 1;
    my $begun :shared = 0;
    my $producer = threads->create(sub { $begun = 1; put($queue, "second") });
    threads->yield() until $begun;
    sleep 1;
    print "pending ", count($queue), ", the producer ", ($producer->is_running() ? "waits" : "is done"), "\n";
    return ($queue, $producer);
}

# Takes what is there at this moment.
sub drain {
    my ($queue) = @_;
    lock($queue);
    my @rest = $queue->dequeue_nb($queue->pending());
    print "the rest: @rest, then pending ", count($queue), "\n";
}

print "the end while a producer waits\n";
my ($queue, $producer) = full_queue();
$queue->end();
drain($queue);
print $producer->join(), ", pending ", count($queue), "\n";

print "control: a producer that comes later\n";
print put($queue, "third"), ", pending ", count($queue), "\n";

print "control: no end\n";
($queue, $producer) = full_queue();
drain($queue);
print $producer->join(), ", pending ", count($queue), "\n";
PROGRAM

as_stated "the end while a producer waits
pending 1, the producer waits
the rest: first, then pending undef
second is accepted, pending 1
control: a producer that comes later
third is refused, the queue is ended, pending 1
control: no end
pending 1, the producer waits
the rest: first, then pending 0
second is accepted, pending 1" "$(/usr/bin/perl "$tmp/queue.pl" 2>&1)"

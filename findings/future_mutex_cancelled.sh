#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfuture-perl 0.49 (Debian 12; Future::Mutex).
# Expected: the manual says that requests to run code are queued while other code runs, until that is complete. So who
#   waits and is cancelled leaves the queue, and who runs goes on alone.
# Really: the end of a future gives the mutex on, and a cancelled one has ended, too. It gives on what it never had:
#   whoever waits first is let in beside the one who runs. Who waits first himself and is cancelled is handed his own
#   turn, which does nothing. So it needs two who wait and the cancellation of one who is not the first, such as a
#   time-out of his own, or Future->needs_any over several.
# Seen: the lines at the end of this script. Controls: nobody is cancelled; the first who waits is cancelled; a waiter
#   is alone.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfuture-perl '0.49-*'

cat >"$tmp/cancelled.pl" <<'PROGRAM'
use strict;
use warnings;
use Future;
use Future::Mutex;

# So many callers at once, one of them is cancelled while the first one runs. Who is inside is told before and after,
# and once more when the first one has ended.
sub run {
    my ($title, $places, $callers, $cancelled) = @_;
    my $mutex = Future::Mutex->new(count => $places);
    my (%works, %calls);
    for my $caller (1 .. $callers) {
        $calls{$caller} = $mutex->enter(sub {
            my $work = $works{$caller} = Future->new;
            return $work->on_ready(sub { delete $works{$caller} });
        });
    }
    my $inside = sub { join(' ', sort keys %works) || 'nobody' };
    print "$title: inside ", $inside->();
    $calls{$cancelled}->cancel if $cancelled;
    print ', then ', $inside->();
    $works{1}->done;
    print ', then ', $inside->(), "\n";
}

run('the second who waits is cancelled', 1, 3, 3);
run('of four who wait the last is cancelled', 1, 5, 5);
run('two places, the second who waits is cancelled', 2, 4, 4);
run('control, nobody is cancelled', 1, 3);
run('control, the first who waits is cancelled', 1, 3, 2);
run('control, the only one who waits is cancelled', 1, 2, 2);
PROGRAM

as_stated 'the second who waits is cancelled: inside 1, then 1 2, then 2
of four who wait the last is cancelled: inside 1, then 1 2, then 2 3
two places, the second who waits is cancelled: inside 1 2, then 1 2 3, then 2 3
control, nobody is cancelled: inside 1, then 1, then 2
control, the first who waits is cancelled: inside 1, then 1, then 3
control, the only one who waits is cancelled: inside 1, then 1, then nobody' "$(/usr/bin/perl "$tmp/cancelled.pl" 2>&1)"

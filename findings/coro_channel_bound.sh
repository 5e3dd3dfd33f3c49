#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcoro-perl 6.570 (Debian 12; Coro::Channel).
# Expected: the manual says that a channel of 2 buffers one item and that put() waits when the channel is full. The
#   manual of Coro allows to cancel a thread that waits. After its end the channel has the same size.
# Really: put() adds its item first and waits for the room afterwards. The cancelled producer leaves its item in the
#   channel and takes no room for it; when somebody takes the item the room grows by one, for good. After three
#   cancelled producers a channel of 2 buffers four, and so on: a limit against slow consumers is lost by time-outs.
# Seen: the lines at the end of this script. Control: the producers wait until they are served.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcoro-perl '6.570-*'

cat >"$tmp/channel.pl" <<'PROGRAM'
use strict;
use warnings;
use Coro;
use Coro::Channel;

sub settle { Coro::cede() for 1 .. 50 }

sub run {
    my ($producers, $cancelled) = @_;
    my $channel = Coro::Channel->new(2);
    $channel->put('first');
    for (1 .. $producers) {
        my $producer = async { $channel->put('another') };
        settle();
        $producer->cancel if $cancelled;
        settle();
    }
    my $taken = 0;
    while ($channel->size) {
        $channel->get;
        $taken++;
        settle();
    }
    my $returned = 0;
    my $counter = async {
        for (1 .. 100) {
            $channel->put('new');
            $returned++;
        }
    };
    settle();
    print "$producers producers ", ($cancelled ? 'cancelled' : 'served'), ": taken $taken, ";
    print "then of 100 puts without a get $returned did not wait\n";
    $counter->cancel;
}

run(1, 1);
run(3, 1);
run(10, 1);
print "control\n";
run(0, 0);
run(3, 0);
PROGRAM

as_stated '1 producers cancelled: taken 2, then of 100 puts without a get 2 did not wait
3 producers cancelled: taken 4, then of 100 puts without a get 4 did not wait
10 producers cancelled: taken 11, then of 100 puts without a get 11 did not wait
control
0 producers served: taken 1, then of 100 puts without a get 1 did not wait
3 producers served: taken 4, then of 100 puts without a get 1 did not wait' "$(timeout 50 /usr/bin/perl "$tmp/channel.pl" 2>&1)"

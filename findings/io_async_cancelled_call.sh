#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libio-async-perl 0.802 (Debian 12; IO::Async::Function), with Perl 5.36.
# Expected: the manual says that a call goes to a worker that is not busy, or to a new one, and that only without such a
#   worker it waits. A worker that still computes is busy, whoever may have asked it.
# Really: when a call is cancelled its worker counts as idle at once, though it computes on. The next call goes to
#   it and waits behind the work that nobody wants, beside a worker that has nothing to do, and workers_busy() says 0.
#   A caller who gives up after a time-out and asks again meets it each time.
# Seen: the lines at the end of this script. Controls: nobody cancels; one more call, which gets the idle worker.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libio-async-perl '0.802-*'
debian perl-base '5.36.0-*'

cat >"$tmp/pool.pl" <<'PROGRAM'
use strict;
use warnings;
use IO::Async::Function;
use IO::Async::Loop;

my $loop = IO::Async::Loop->new;

# Waits until one of the calls is answered, for at most that many seconds.
sub wait_for {
    my ($seconds, @calls) = @_;
    Future->wait_any((map { $_->without_cancel } @calls), $loop->delay_future(after => $seconds))->await;
}

sub run {
    my ($title, $cancels) = @_;
    print "$title\n";
    my $function = IO::Async::Function->new(
        min_workers => 2,
        max_workers => 2,
        code        => sub { select undef, undef, undef, $_[0]; return 'done' },
    );
    $loop->add($function);
    my $first = $function->call(args => [4]);
    wait_for(0.3);
    if ($cancels) {
        $first->cancel;
        print "a call of 4 s is cancelled after 0.3 s\n";
    }
    else {
        print "a call of 4 s runs\n";
    }
    print 'busy: ', $function->workers_busy, ' of 2 workers, idle: ', $function->workers_idle, "\n";
    my $second = $function->call(args => [0]);
    wait_for(1.5, $second);
    print 'a short call: ', $second->is_ready ? 'done' : 'not done', " after 1.5 s\n";
    my $third = $function->call(args => [0]);
    wait_for(1, $third);
    print 'one more: ', $third->is_ready ? 'done' : 'not done', " after 1 s\n";
    $second->await;
    $first->await if !$cancels;
    $loop->remove($function);
}

run('one call is cancelled', 1);
run('control: it is not cancelled', 0);
PROGRAM

as_stated 'one call is cancelled
a call of 4 s is cancelled after 0.3 s
busy: 0 of 2 workers, idle: 2
a short call: not done after 1.5 s
one more: done after 1 s
control: it is not cancelled
a call of 4 s runs
busy: 1 of 2 workers, idle: 1
a short call: done after 1.5 s
one more: done after 1 s' "$(/usr/bin/perl "$tmp/pool.pl")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcoro-perl 6.570 (Debian 12; Coro::Semaphore, Coro::RWLock, Coro::Channel).
# Expected: the manual of Coro allows to cancel a thread, or to throw an exception into it, while it waits, and says that
#   cancel() cleans up in any case. Such a thread wants the lock no more, so the next who waits gets it.
# Really: it stays in the queue, and the release wakes it and nobody else. Who waits behind it sleeps beside a free
#   semaphore, a free lock, or an item in the channel, until a newcomer has come and gone. Only a thread that was woken
#   before its cancellation passes the wake-up on, and that in Coro::Semaphore alone.
# Seen: the lines at the end of this script. Controls: nobody is cancelled; the cancelled thread was woken already; a
#   waiting reader is cancelled, for all readers are woken at once.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcoro-perl '6.570-*'

cat >"$tmp/cancelled.pl" <<'PROGRAM'
use strict;
use warnings;
use Coro;
use Coro::Channel;
use Coro::RWLock;
use Coro::Semaphore;

sub settle { Coro::cede() for 1 .. 50 }

# Each kind as functions: take, and give back. At the beginning it is taken.
my %kinds = (
    semaphore => sub {
        my $lock = Coro::Semaphore->new(0);
        return (sub { $lock->down }, sub { $lock->up });
    },
    writer => sub {
        my $lock = Coro::RWLock->new;
        $lock->wrlock;
        return (sub { $lock->wrlock }, sub { $lock->unlock });
    },
    reader => sub {
        my $lock = Coro::RWLock->new;
        $lock->wrlock;
        return (sub { $lock->rdlock }, sub { $lock->unlock });
    },
    consumer => sub {
        my $channel = Coro::Channel->new;
        return (sub { $channel->get }, sub { $channel->put('item') });
    },
);

sub run {
    my ($kind, $title, $end, $end_late) = @_;
    my ($take, $give) = $kinds{$kind}->();
    my $served = 'sleeps';
    my $first = async {
        eval { $take->(); $give->() };
    };
    settle();
    my $second = async { $take->(); $served = 'is served'; $give->() };
    settle();
    $end->($first) if $end;
    settle();
    $give->();
    $end_late->($first) if $end_late;
    settle();
    print "$kind, $title: the next $served";
    if ($served eq 'sleeps') {
        my $newcomer = async { $take->(); $give->() };
        settle();
        print ", after a newcomer it $served";
    }
    print "\n";
}

my $cancel = sub { $_[0]->cancel };
my $throw = sub { $_[0]->throw("give up\n"); $_[0]->ready };

for my $kind ('semaphore', 'writer', 'consumer') {
    run($kind, 'cancelled', $cancel);
    run($kind, 'ended by an exception', $throw);
    run($kind, 'control, nobody is cancelled');
}
run('semaphore', 'control, cancelled after it was woken', undef, $cancel);
run('reader', 'control, cancelled', $cancel);
PROGRAM

as_stated 'semaphore, cancelled: the next sleeps, after a newcomer it is served
semaphore, ended by an exception: the next sleeps, after a newcomer it is served
semaphore, control, nobody is cancelled: the next is served
writer, cancelled: the next sleeps, after a newcomer it is served
writer, ended by an exception: the next sleeps, after a newcomer it is served
writer, control, nobody is cancelled: the next is served
consumer, cancelled: the next sleeps, after a newcomer it is served
consumer, ended by an exception: the next sleeps, after a newcomer it is served
consumer, control, nobody is cancelled: the next is served
semaphore, control, cancelled after it was woken: the next is served
reader, control, cancelled: the next is served' "$(timeout 50 /usr/bin/perl "$tmp/cancelled.pl" 2>&1)"

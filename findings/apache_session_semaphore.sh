#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libapache-session-perl 1.94 (Debian 12; Apache::Session::Lock::Semaphore), Perl 5.36.
# Expected: sessions are spread over 16 locks by a hash of their ids; more semaphores mean less contention, says the
#   manual under CONFIGURATION.
# Really: the hash of an id of 32 digits, which is the usual length, is too large for a whole number, and its rest is
#   always 0: all sessions have one lock. Whoever writes one session keeps all others out, and a program that holds one
#   and opens another one waits for itself.
# Seen: the lines at the end of this script: how many locks a thousand sessions take to read, and what a program that
#   writes two sessions does, by the counts of the semaphores. Control: ids of 8 digits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libapache-session-perl '1.94-*'
debian perl '5.36.*'

cat >"$tmp/sessions.pl" <<'PROGRAM'
use strict;
use warnings;
use Apache::Session::Lock::Semaphore;
use Digest::MD5 qw(md5_hex);
use IPC::Semaphore;
use IPC::SysV qw(IPC_CREAT IPC_NOWAIT);
use Time::HiRes qw(sleep);

my $key = 0x5e550000 + ($$ & 0xffff);
my $semaphores = IPC::Semaphore->new($key, 32, IPC_CREAT | 0700) or die $!;

# The lock of a session, and the session.
sub make {
    my ($number, $length) = @_;
    my $session = {data => {_session_id => substr(md5_hex("session $number"), 0, $length)}, args => {SemaphoreKey => $key}};
    return (Apache::Session::Lock::Semaphore->new($session), $session);
}

sub run {
    my ($title, $length) = @_;
    my @readers = map { [make($_, $length)] } 1 .. 1000;
    $_->[0]->acquire_read_lock($_->[1]) for @readers;
    my @taken = grep { $_ } $semaphores->getall;
    $_->[0]->release_all_locks($_->[1]) for @readers;

    # Writes two sessions. Over when it has ended, or when it waits.
    my $program = fork // die $!;
    if (!$program) {
        for my $number (2, 3) {
            my ($lock, $session) = make($number, $length);
            $lock->acquire_write_lock($session);
        }
        exec 'true';
    }
    my ($end, $waits) = (0, 0);
    until ($end || $waits) {
        sleep 0.1;
        $end = waitpid($program, 1) == $program;
        $waits = grep { $semaphores->getzcnt($_) } 0 .. 31 unless $end;
    }
    kill KILL => $program unless $end;
    waitpid $program, 0 unless $end;
    print "$title: a thousand sessions have ", scalar @taken, " of 16 locks; a program that writes two of them ",
        $end ? "has ended" : "waits for itself", "\n";
}

run('ids of 32 digits', 32);
run('control, of 8 digits', 8);
$semaphores->remove;
PROGRAM

as_stated 'ids of 32 digits: a thousand sessions have 1 of 16 locks; a program that writes two of them waits for itself
control, of 8 digits: a thousand sessions have 16 of 16 locks; a program that writes two of them has ended' "$(timeout 60 /usr/bin/perl "$tmp/sessions.pl")"

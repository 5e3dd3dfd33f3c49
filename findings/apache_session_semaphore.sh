#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libapache-session-perl 1.94 (Debian 12; Apache::Session::Lock::Semaphore), Perl 5.36.
# Expected: sessions are spread over 16 locks by a hash of their ids; more semaphores mean less contention, says the
#   manual under CONFIGURATION.
# Really: the hash of an id of 32 digits, which is the usual length, is too large for a whole number, and its rest is
#   always 0: all sessions have one lock, however many semaphores there are, and one of them keeps all others out.
# Seen: the lines at the end of this script: how many locks a thousand sessions take to read, by the counts of the
#   semaphores. Control: ids of 8 digits.

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
use IPC::SysV qw(IPC_CREAT);

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
    print "$title: a thousand sessions have ", scalar @taken, " of 16 locks\n";
}

run('ids of 32 digits', 32);
run('control, of 8 digits', 8);
$semaphores->remove;
PROGRAM

as_stated 'ids of 32 digits: a thousand sessions have 1 of 16 locks
control, of 8 digits: a thousand sessions have 16 of 16 locks' "$(timeout 60 /usr/bin/perl "$tmp/sessions.pl")"

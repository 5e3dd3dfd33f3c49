#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfile-nfslock-perl 1.29 (Debian 12; File::NFSLock), Perl 5.36.
# Expected: the manual says that a non-blocking lock returns undef if another process has the lock. A process that has
#   ended is found out by its number, so the next caller gets the lock.
# Really: the call that finds a dead holder removes its lock file and is told no all the same ("NONBLOCKING lock
#   failed!"), the call after it is told yes. Of a job that a timer starts, and that asks once, each crash costs one
#   more run, beside a free lock.
# Seen: the lines at the end of this script. Controls: a blocking lock with a time-out; the holder ended well.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfile-nfslock-perl '1.29-*'

cat >"$tmp/first.pl" <<'PROGRAM'
use strict;
use warnings;
use Fcntl qw(LOCK_EX LOCK_NB);
use File::NFSLock;
use POSIX ();

$| = 1;
my $count = 0;

sub run {
    my ($title, $how, $dies) = @_;
    my $file = "$ARGV[0]/" . ++$count;
    my $child = fork;
    if (!$child) {
        my $lock = File::NFSLock->new($file, LOCK_EX);
        $lock->unlock unless $dies;
        kill 'KILL', $$;
    }
    waitpid $child, 0;
    my @answers;
    foreach my $call (1 .. 3) {
        my $there = -e "$file.NFSLock" ? 'there' : 'not there';
        my $lock = File::NFSLock->new($file, $how, 5);
        push @answers, "lock file $there, told " . ($lock ? 'yes' : 'no');
        $lock->unlock if $lock;
    }
    print "$title\n", map { "  $_\n" } @answers;
}

run('the holder was killed', LOCK_EX | LOCK_NB, 1);
run('control: a blocking lock', LOCK_EX, 1);
run('control: the holder had released it', LOCK_EX | LOCK_NB, 0);
PROGRAM

as_stated 'the holder was killed
  lock file there, told no
  lock file not there, told yes
  lock file not there, told yes
control: a blocking lock
  lock file there, told yes
  lock file not there, told yes
  lock file not there, told yes
control: the holder had released it
  lock file not there, told yes
  lock file not there, told yes
  lock file not there, told yes' "$(timeout 50 /usr/bin/perl "$tmp/first.pl" "$tmp")"

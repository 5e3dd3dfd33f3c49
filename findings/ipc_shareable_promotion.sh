#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libipc-shareable-perl 1.13 (Debian 12).
# Expected: the manual says that one process at a time can hold the exclusive lock of a shared variable, that who wants
#   it is blocked while others hold shared locks, and that with LOCK_NB it is told 0 instead.
# Really: before anything else lock() asks whether the flags that it holds and the flags that are wanted have a bit in
#   common, and if so it says 1. LOCK_NB is such a bit. Who got the shared lock with LOCK_NB is told yes when it asks
#   for the exclusive one with LOCK_NB, and still holds the shared one. Two do so: both read, both are told that they
#   may write, both add one, and one of the two additions is gone.
# Seen: the lines at the end of this script. Controls: the same with LOCK_NB in only one of the two calls; who holds
#   nothing asks for the exclusive lock.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libipc-shareable-perl '1.13-*'

cat >"$tmp/promotion.pl" <<'PROGRAM'
use strict;
use warnings;
use IO::Handle;
use IPC::Shareable qw(:lock);
use POSIX ();

my $key = "promotion $$";
my %number;
tie %number, 'IPC::Shareable', {key => $key, create => 1, destroy => 1};

# The other process obeys line by line. Its end leaves the shared memory alone.
pipe(my $orders, my $boss);
pipe(my $answers, my $worker);
$_->autoflush for $boss, $worker;
my $other = fork // die;
if (!$other) {
    close $boss;
    tie %number, 'IPC::Shareable', {key => $key, create => 0, destroy => 0};
    print $worker act($_), "\n" while $_ = <$orders>;
    POSIX::_exit(0);
}

sub act {
    my ($verb, $flags) = split ' ', shift;
    return tied(%number)->lock($flags) ? 'yes' : 'no' if $verb eq 'lock';
    return ++$number{n} if $verb eq 'add';
    return tied(%number)->unlock if $verb eq 'unlock';
}

sub b {
    print $boss "@_\n";
    chomp(my $answer = <$answers>);
    return $answer;
}

# Both lock twice with these flags and add one if they may.
sub both {
    my ($title, $first, $second) = @_;
    $number{n} = 0;
    my @reads = (act("lock $first"), b("lock $first"));
    my @writes = act("lock $second");
    push @writes, b("lock $second") if $writes[0] eq 'yes' || $second & LOCK_NB;
    act('add') if $writes[0] eq 'yes';
    b('add') if $writes[1] eq 'yes';
    act('unlock');
    b('unlock');
    my $added = grep { $_ eq 'yes' } @writes;
    print "$title: both read ($reads[0], $reads[1]), they write ($writes[0], $writes[1]), ",
        "$added added one and it is $number{n}\n";
}

both('LOCK_NB in both calls', LOCK_SH | LOCK_NB, LOCK_EX | LOCK_NB);
both('control, in the second only', LOCK_SH, LOCK_EX | LOCK_NB);

# In the first only: the second call would wait for the other reader, so let that one leave first.
act('lock ' . (LOCK_SH | LOCK_NB));
print 'control, in the first only: it reads, it writes ', act('lock ' . LOCK_EX),
    ', beside it the other reads ', b('lock ' . (LOCK_SH | LOCK_NB)), "\n";
act('unlock');

b('lock ' . (LOCK_SH | LOCK_NB));
print 'control, it holds nothing while the other reads: it writes ', act('lock ' . (LOCK_EX | LOCK_NB)), "\n";
b('unlock');
close $boss;
waitpid $other, 0;
PROGRAM

as_stated 'LOCK_NB in both calls: both read (yes, yes), they write (yes, yes), 2 added one and it is 1
control, in the second only: both read (yes, yes), they write (no, yes), 1 added one and it is 1
control, in the first only: it reads, it writes yes, beside it the other reads no
control, it holds nothing while the other reads: it writes no' "$(timeout 20 /usr/bin/perl "$tmp/promotion.pl" 2>&1)"

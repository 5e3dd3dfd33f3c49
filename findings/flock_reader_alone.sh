#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfile-flock-perl 2014.01 (Debian 12; File::Flock), Perl 5.36.
# Expected: the manual says that lock($file, 'shared') locks shared, and that a file that was made for the lock is
#   removed by unlock. Two readers who wait for a writer read together when it has left.
# Really: who waits finds that the file was removed and asks again, without its options: as a writer, and blocking. Of
#   the two readers one gets in, and the other one waits until it has left. A newcomer who reads is kept out, too.
# Seen: the lines at the end of this script. Controls: the file was there before, so that it is not removed; the readers
#   come when the writer has left.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfile-flock-perl '2014.01-*'

cat >"$tmp/readers.pl" <<'PROGRAM'
use strict;
use warnings;
use Fcntl qw(:flock);
use File::Flock;
use POSIX ();
use Time::HiRes qw(sleep);

$| = 1;

# A program that reads, tells when it does, and goes on until it is ended.
sub reader {
    my ($file, $log) = @_;
    my $pid = fork;
    return $pid if $pid;
    lock($file, 'shared');
    open my $out, '>>', $log or die $!;
    syswrite $out, "reads\n";
    sleep 30;
    POSIX::_exit(0);
}

sub count {
    my ($log) = @_;
    open my $in, '<', $log or return 0;
    return scalar(() = <$in>);
}

my $number = 0;

sub run {
    my ($title, $there, $wait) = @_;
    my ($file, $log) = ("$ARGV[0]/" . ++$number, "$ARGV[0]/log$number");
    if ($there) {
        open my $new, '>', $file or die $!;
        syswrite $new, "data\n";
    }
    my $writer = fork // die;
    if (!$writer) {
        lock($file);
        open my $out, '>', "$log.writes" or die $!;
        sleep 0.1 until -e "$log.leave";
        unlock($file);
        POSIX::_exit(0);
    }
    sleep 0.05 until -e "$log.writes";
    my @readers;
    push @readers, map { reader($file, $log) } 1, 2 if $wait;
    sleep 0.5;
    open my $leave, '>', "$log.leave" or die $!;
    waitpid $writer, 0;
    push @readers, map { reader($file, $log) } 1, 2 if !$wait;
    sleep 1.5;
    print "$title: of two readers ", count($log), " read";
    push @readers, reader($file, $log);
    sleep 1;
    print ', with a newcomer ', count($log), "\n";
    kill 'KILL', @readers;
    waitpid $_, 0 foreach @readers;
}

run('they wait for the writer, who removes the file', 0, 1);
run('control, the file stays', 1, 1);
run('control, later', 0, 0);
POSIX::_exit(0);
PROGRAM

as_stated 'they wait for the writer, who removes the file: of two readers 1 read, with a newcomer 1
control, the file stays: of two readers 2 read, with a newcomer 3
control, later: of two readers 2 read, with a newcomer 3' "$(timeout 50 /usr/bin/perl "$tmp/readers.pl" "$tmp")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libio-lockedfile-perl 0.23 (Debian 12; IO::LockedFile), Perl 5.36.
# Expected: the manual says that open() takes what IO::File takes, and that a file which is opened to write is locked
#   exclusively, one that is read is shared.
# Really: whether a file is opened to write is guessed from the form of the call. "+<file", the usual way to change a
#   file, and O_RDWR and O_WRONLY, take a shared lock: two who read, add and write back are both told that they have the lock,
#   and one of the two additions is gone. ("file", "<"), which only reads, takes the exclusive one.
# Seen: the lines at the end of this script. Controls: ("file", "+<") and ">>file".

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libio-lockedfile-perl '0.23+*'

cat >"$tmp/modes.pl" <<'PROGRAM'
use strict;
use warnings;
use Fcntl qw(:DEFAULT :flock);
use IO::LockedFile;

my $name = shift;

sub kind {
    my ($title, @how) = @_;
    my $file = IO::LockedFile->new(@how) or die;
    open my $other, '+<', $name or die;
    my $kind = flock($other, LOCK_EX | LOCK_NB) ? 'no'
        : flock($other, LOCK_SH | LOCK_NB)      ? 'a shared'
        :                                         'an exclusive';
    print "$title: $kind lock\n";
}

kind('"+<file"', "+<$name");
kind('"file", O_RDWR', $name, O_RDWR);
kind('"file", O_WRONLY', $name, O_WRONLY);
kind('"file", "<"', $name, '<');
kind('control, "file", "+<"', $name, '+<');
kind('control, ">>file"', ">>$name");

# Two programs that read a number and write the next one, each under its lock.
sub addition {
    my ($title, @how) = @_;
    open my $new, '>', $name or die;
    print $new 0;
    close $new;
    my @files = grep { $_ } map { IO::LockedFile->new({block => 0}, @how) } 1, 2;
    my @numbers = map { scalar readline $_ } @files;
    foreach my $file (@files) {
        seek $file, 0, 0;
        $file->print(1 + shift @numbers);
        $file->close;
    }
    open my $read, '<', $name or die;
    my $sum = <$read>;
    print "$title: ", scalar @files, " of 2 have the lock at once, together they add $sum\n";
}
addition('"+<file"', "+<$name");
addition('control, "file", "+<"', $name, '+<');
PROGRAM

: >"$tmp/file"
as_stated '"+<file": a shared lock
"file", O_RDWR: a shared lock
"file", O_WRONLY: a shared lock
"file", "<": an exclusive lock
control, "file", "+<": an exclusive lock
control, ">>file": an exclusive lock
"+<file": 2 of 2 have the lock at once, together they add 1
control, "file", "+<": 1 of 2 have the lock at once, together they add 1' \
    "$(timeout 20 /usr/bin/perl "$tmp/modes.pl" "$tmp/file" 2>&1)"

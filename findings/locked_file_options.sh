#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libio-lockedfile-perl 0.23 (Debian 12; IO::LockedFile), Perl 5.36.
# Expected: the manual says that options given to new() are for this object only, and that without options a file is
#   opened locked, after a wait if need be.
# Really: options are kept under the address of the object and are not forgotten with it. The next object at that address
#   has them: after a log file that was opened with lock => 0 and is closed and gone, a plain new() gives a file
#   that is not locked, and another program gets in. After one with block => 0 a plain new() does not wait.
# Seen: the lines at the end of this script. Control: the older object is still there, so that the next one has another
#   address.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libio-lockedfile-perl '0.23+*'

cat >"$tmp/options.pl" <<'PROGRAM'
use strict;
use warnings;
use Fcntl ':flock';
use IO::LockedFile;
use Time::HiRes 'ualarm';

my ($log, $data, $which) = @ARGV;

# Log files that are opened with an option, written and closed.
sub older {
    my (%option) = @_;
    my @files = map { IO::LockedFile->new({%option}, ">>$log.$_") } 1 .. 10;
    $_->print("begin\n") foreach @files;
    $_->close             foreach @files;
    return @files;
}

# Ten plain files; another handle on each is refused, as another program's would be, if it is locked.
sub unlocked {
    my @files = map { IO::LockedFile->new(">>$data.$_") } 1 .. 10;
    my $free = 0;
    foreach (1 .. 10) {
        open my $other, '+<', "$data.$_" or die;
        $free++ if flock $other, LOCK_EX | LOCK_NB;
    }
    return 'of plain files ' . ($free ? 'some are' : 'none is') . " unlocked\n";
}

# Plain callers for a file that is locked; each waits for a fifth of a second at most.
sub impatient {
    open my $other, '>', $data or die;
    flock $other, LOCK_EX or die;
    my $told_no = 0;
    my @plain = map { IO::LockedFile->new } 1 .. 10;
    foreach my $file (@plain) {
        eval {
            local $SIG{ALRM} = sub { die "waits\n" };
            ualarm 200_000;
            my $yes = $file->open(">>$data");
            ualarm 0;
            $told_no++ unless $yes;
        };
    }
    return 'of plain callers ' . ($told_no ? 'some are told no' : 'all wait') . "\n";
}

if ($which == 1) { older(lock => 0); print 'objects with lock => 0 are gone: ', unlocked() }
if ($which == 2) { my @kept = older(lock => 0); print 'control, they are still there: ', unlocked() }
if ($which == 3) { older(block => 0); print 'objects with block => 0 are gone: ', impatient() }
if ($which == 4) { my @kept = older(block => 0); print 'control, they are still there: ', impatient() }
PROGRAM

run() {
    timeout 20 /usr/bin/perl "$tmp/options.pl" "$tmp/log" "$tmp/data" "$1" 2>&1
}
as_stated 'objects with lock => 0 are gone: of plain files some are unlocked
control, they are still there: of plain files none is unlocked
objects with block => 0 are gone: of plain callers some are told no
control, they are still there: of plain callers all wait' "$(run 1; run 2; run 3; run 4)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libproc-pid-file-perl 1.27 (Debian 12; Proc::PID::File), Perl 5.36.
# Expected: running() says whether another process has the name, and takes it for this one. A process that asks for two
#   names, one after the other, has both until it ends.
# Really: the object behind the simple interface is one variable of the package. The second call replaces it, and the end
#   of the first object removes its file: as soon as a process has the second name the first one is free, and another
#   process that asks for it is told that nobody runs.
# Seen: the lines at the end of this script. Control: one object of the other interface for each name.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libproc-pid-file-perl '1.27-*'

cat >"$tmp/two.pl" <<'PROGRAM'
use strict;
use warnings;
use Proc::PID::File;

my $folder = shift;

# What another process is told.
sub another {
    my ($name) = @_;
    pipe my $read, my $write or die;
    my $pid = fork // die;
    if (!$pid) {
        print $write Proc::PID::File->running(dir => $folder, name => $name) ? 'is refused' : 'gets in';
        close $write;
        require POSIX;
        POSIX::_exit(0);
    }
    close $write;
    my $told = <$read>;
    waitpid $pid, 0;
    return $told;
}

sub take { die if Proc::PID::File->running(dir => $folder, name => $_[0]) }

take('mail');
print "has mail: another one for mail ", another('mail'), "\n";
take('backup');
print "has mail and backup: another one for mail ", another('mail'), ", for backup ", another('backup'), "\n";

my @objects = map { Proc::PID::File->new(dir => $folder, name => $_) } 'print', 'scan';
foreach (@objects) {
    die if $_->alive;
    $_->touch;
}
print "control, two objects: another one for print ", another('print'), ", for scan ", another('scan'), "\n";
PROGRAM

mkdir "$tmp/run"
as_stated 'has mail: another one for mail is refused
has mail and backup: another one for mail gets in, for backup is refused
control, two objects: another one for print is refused, for scan is refused' \
    "$(timeout 20 /usr/bin/perl "$tmp/two.pl" "$tmp/run" 2>&1)"

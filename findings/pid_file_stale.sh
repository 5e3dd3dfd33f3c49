#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfile-pid-perl 1.01 (Debian 12; File::Pid), Perl 5.36.
# Expected: a daemon that finds nobody running writes its own process id, and the next one finds it.
# Really: new() takes over the id that is in the file, as the manual says, also that of a process which has crashed, and
#   write() puts it back. After a crash the file keeps the dead id: running() says no to everybody, and any number run
#   at once. The example of the manual, which writes first and asks then, meets its own id and refuses to start.
# Seen: the lines at the end of this script. Controls: no file is there; the id is given to new().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfile-pid-perl '1.01-*'

cat >"$tmp/stale.pl" <<'PROGRAM'
use strict;
use warnings;
use File::Pid;
use POSIX ();

my $folder = shift;

# A daemon: asks, writes, and works until it is killed.
sub daemon {
    my ($name, %more) = @_;
    pipe my $read,  my $write or die;
    my $pid = fork // die;
    if (!$pid) {
        close $read;
        my $file = File::Pid->new({file => "$folder/$name", $more{own} ? (pid => $$) : ()});
        my $told = $file->running ? 'refused' : 'runs';
        $file->write if $told eq 'runs';
        syswrite $write, "$told\n";
        sleep 30 if $told eq 'runs';
        POSIX::_exit(0);
    }
    close $write;
    chomp(my $told = <$read>);
    return {pid => $pid, told => $told};
}

sub ended {
    foreach (@_) {
        kill 'KILL', $_->{pid};
        waitpid $_->{pid}, 0;
    }
}

sub run {
    my ($title, $crash, %more) = @_;
    (my $name = $title) =~ s/\W//g;
    # The one that crashes leaves its file.
    ended(daemon($name)) if $crash;
    my @daemons = map { daemon($name, %more) } 1 .. 3;
    print "$title: of three ", scalar(grep { $_->{told} eq 'runs' } @daemons), " at once\n";
    ended(@daemons);
}

run('after a crash', 1);
run('control, no file is there', 0);
run('control, after a crash, the id is given', 1, own => 1);
my $manual = File::Pid->new({file => "$folder/manual"});
$manual->write;
print 'the example of the manual, no file is there: ', ($manual->running ? 'already running' : 'starts'), "\n";
PROGRAM

mkdir "$tmp/run"
as_stated 'after a crash: of three 3 at once
control, no file is there: of three 1 at once
control, after a crash, the id is given: of three 1 at once
the example of the manual, no file is there: already running' \
    "$(timeout 20 /usr/bin/perl "$tmp/stale.pl" "$tmp/run" 2>&1)"

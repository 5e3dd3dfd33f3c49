#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libipc-pubsub-perl 0.29 (Debian 12; the lock of its backends PlainHash and DBM_Deep).
# Expected: lock() returns when the caller has the lock; the manual calls modify(), which is made of it, atomic.
# Really: lock() tries ten times, which takes 2.5 to 5 s, and returns as if it had the lock, with the same value. Of two
#   who add 1 while the first one takes 7 s one addition is lost. The unlock of the second one frees the lock of
#   the first one. A holder that died leaves the lock: each later call takes those seconds and is never alone.
# Seen: the lines at the end of this script. Control: the first one takes 1 s.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libipc-pubsub-perl '0.29-*'
debian libdbm-deep-perl '2.*'

cat >"$tmp/lock.pl" <<'PROGRAM'
use strict;
use warnings;
use IPC::PubSub;

# The first process adds 1 and takes so many seconds for it. The second one adds 1 when the first one has begun.
sub run {
    my ($title, $seconds) = @_;
    my $file = "$ENV{TMPDIR}/bus$seconds";
    my $bus = sub { IPC::PubSub->new(DBM_Deep => $file) };
    $bus->()->modify(count => 0);
    pipe my $told, my $tell;
    my $first = fork // die $!;
    if ($first == 0) {
        $bus->()->modify(count => sub { syswrite $tell, '.'; sleep $seconds; $_++ });
        exit;
    }
    sysread $told, my $begun, 1;
    my $before = time;
    my $ended = 0;
    $bus->()->modify(count => sub { $ended = waitpid $first, 1; $_++ });
    my $which = $ended == $first ? 'after' : 'beside';
    waitpid $first, 0;
    printf "%s: the second one worked %s the first one, 0 + 1 + 1 is %d\n", $title, $which, $bus->()->modify('count');
}

run('the first one takes 7 s', 7);
run('control, it takes 1 s', 1);
PROGRAM

as_stated 'the first one takes 7 s: the second one worked beside the first one, 0 + 1 + 1 is 1
control, it takes 1 s: the second one worked after the first one, 0 + 1 + 1 is 2' "$(TMPDIR=$tmp perl "$tmp/lock.pl")"

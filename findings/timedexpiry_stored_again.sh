#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcache-simple-timedexpiry-perl 0.27 (Debian 12).
# Expected: store() puts a value into the cache until expire_after seconds later. Who stores a key again, as one who renews
#   a lease, has a value for that time from then on.
# Really: each store() leaves a note in the queue of expiries, and each note removes the key when its time comes, whatever
#   was stored since. A lease of 10 s that is stored at 0 and at 8 ends at 10; one that is stored again after such an
#   end is removed by the note of an earlier renewal.
# Seen: the lines at the end of this script; the program has a clock of its own. Control: stored once.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcache-simple-timedexpiry-perl '0.27-*'

cat >"$tmp/program.pl" <<'PROGRAM'
use strict;
use warnings;

# The clock of the program.
my $now;
BEGIN { $now = 1_000_000; *CORE::GLOBAL::time = sub () { $now } }
use Cache::Simple::TimedExpiry;

# A lease of 10 s is stored at these seconds, and looked at in each second.
sub run {
    my ($title, @stored) = @_;
    my $cache = Cache::Simple::TimedExpiry->new;
    $cache->expire_after(10);
    my $begin = $now;
    my ($seen, %store) = (0, map { $_ => 1 } @stored);
    for my $second (0 .. 60) {
        $now = $begin + $second;
        $cache->set('lease', $second) if $store{$second};
        $seen = $second if $cache->has_key('lease');
    }
    print "$title: there until second $seen\n";
}

run('stored at 0 and 8', 0, 8);
run('stored at 0, 4, 8 and 12', 0, 4, 8, 12);
run('control, stored at 8', 8);
PROGRAM

as_stated 'stored at 0 and 8: there until second 10
stored at 0, 4, 8 and 12: there until second 14
control, stored at 8: there until second 18' "$(/usr/bin/perl "$tmp/program.pl" 2>&1)"

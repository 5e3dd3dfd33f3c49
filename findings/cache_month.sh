#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libcache-perl 2.11 (Debian 12; Cache, Cache::Memory), Perl 5.36.
# Expected: the manual lists m, minute, minutes, min and, apart from them, M, month, months as units of an expiry.
# Really: the text is made lower case before the unit is looked up, so that "1 M" is one minute: what was to be kept for
#   a month is gone after a minute, without an error. "1 month" is 30 days.
# Seen: the lines at the end of this script. Controls: the other spellings.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libcache-perl '2.11-*'

cat >"$tmp/month.pl" <<'PROGRAM'
use strict;
use warnings;

my $now;
BEGIN {
    $now = 1_700_000_000;
    *CORE::GLOBAL::time = sub { $now };
}
use Cache::Memory;

sub lasts {
    my ($title, $expiry) = @_;
    my $cache = Cache::Memory->new;
    $cache->set('lease', 'mine', $expiry);
    my $seconds = $cache->expiry('lease') - $now;
    my $set = $now;
    $now += 3600;
    my $after = $cache->exists('lease') ? 'there' : 'gone';
    $now = $set;
    $cache->clear;
    print "$title$expiry: ends after $seconds s, after an hour it is $after\n";
}

lasts('', '1 M');
lasts('', '2 M');
lasts('control, ', '1 month');
lasts('control, ', '2 months');
lasts('control, ', '1 m');
lasts('control, ', '1 w');
PROGRAM

as_stated '1 M: ends after 60 s, after an hour it is gone
2 M: ends after 120 s, after an hour it is gone
control, 1 month: ends after 2592000 s, after an hour it is there
control, 2 months: ends after 5184000 s, after an hour it is there
control, 1 m: ends after 60 s, after an hour it is gone
control, 1 w: ends after 604800 s, after an hour it is there' "$(timeout 20 /usr/bin/perl "$tmp/month.pl" 2>&1)"

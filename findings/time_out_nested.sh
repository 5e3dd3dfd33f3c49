#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libtime-out-perl 0.11 (Debian 12).
# Expected: the manual says that blocks can be nested. A block of 2 s ends after 2 s, whatever blocks there are in it.
# Really: at the end of an inner block the outer time is set anew from what alarm() said was left, in whole seconds and
#   rounded to the nearest one. With Perl's own alarm() an inner block each 0.4 s sets it to 2 s again and again: the
#   block of 2 s works for as long as it likes. Time::HiRes helps only if it is loaded before Time::Out.
# Seen: the lines at the end of this script. Controls: the inner blocks are left out; Time::HiRes comes first.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libtime-out-perl '0.11-*'

cat >"$tmp/nested.pl" <<'PROGRAM'
use strict;
use warnings;
BEGIN { require Time::HiRes if $ARGV[0] eq 'before' }
use Time::Out qw(timeout);
use Time::HiRes ();

my ($order, $inner, $title) = @ARGV;
my $began = Time::HiRes::time();
my $rounds = 0;
timeout 2 => sub {
    for (1 .. 15) {
        timeout(5 => sub { 1 }) if $inner;
        select undef, undef, undef, 0.4;
        $rounds++;
    }
};
my $end = $@ || 'no time-out';
printf "%s: %s, %s\n", $title, $end, $rounds == 15 ? 'after all 15 rounds, 6 s' : $rounds <= 5 ? 'after 2 s' : "after $rounds rounds";
PROGRAM

as_stated 'a block of 2 s with an inner block in each round: no time-out, after all 15 rounds, 6 s
control, no inner blocks: timeout, after 2 s
control, Time::HiRes is loaded first: timeout, after 2 s' \
    "$(perl "$tmp/nested.pl" after 1 'a block of 2 s with an inner block in each round'
    perl "$tmp/nested.pl" after 0 'control, no inner blocks'
    perl "$tmp/nested.pl" before 1 'control, Time::HiRes is loaded first')"

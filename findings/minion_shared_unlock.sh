#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: libminion-perl 10.25 and libminion-backend-sqlite-perl 5.0.7 (Debian 12), a Perl job queue.
# Expected: the documentation says that lock(NAME, SECONDS, {limit => N}) lets N hold at once, that each ends by
#   itself after its own seconds, and that unlock releases what was acquired before. So the place of
#   A, who died with 2 s left, comes free after 2 s, whatever B did with its own.
# Really: the places have no owner, and unlock takes away the one that ends first. B, who had a place for an
#   hour and gave it back, gave back A's; A's seconds are gone and B's hour stays, though nobody holds.
# Seen: the lines at the end of this script. Control: the same, B also with 2 s.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libminion-perl '10.25+*'
debian libminion-backend-sqlite-perl '5.0.7-*'

cat >"$tmp/places.pl" <<'PROGRAM'
use strict;
use warnings;
use feature 'say';
use Minion;

my $minion = Minion->new(SQLite => "sqlite:$ARGV[0]/jobs.db");

sub answer { return $_[0] ? 'granted' : 'refused' }

for my $seconds (3600, 2) {
  my $name = "service$seconds";
  my $ask  = sub { return answer($minion->lock($name, $_[0], {limit => 2})) };
  say "A, 2 s: ",          $ask->(2);
  say "B, $seconds s: ",   $ask->($seconds);
  say "B gives back: ",    $minion->unlock($name) ? 'yes' : 'no';
  sleep 5;
  say "5 s later, C: ",    $ask->(3600);
  say "D: ",               $ask->(3600);
}
PROGRAM

as_stated 'A, 2 s: granted
B, 3600 s: granted
B gives back: yes
5 s later, C: granted
D: refused
A, 2 s: granted
B, 2 s: granted
B gives back: yes
5 s later, C: granted
D: granted' "$(/usr/bin/perl "$tmp/places.pl" "$tmp")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libmemoize-expirelru-perl 0.56 (Debian 12), with Perl 5.36 and its Memoize.
# Expected: the manual gives DB_File as an example of the option TIE: a file below the cache, in which the answers are
#   kept for the next program.
# Really: nothing is ever stored in it, because the cache is kept under another name than the one that is looked for. Each
#   program computes all answers anew. A file that has answers is read at the start, and each call whose
#   answer is there ends with an error.
# Seen: the lines at the end of this script. Control: the same file without Memoize::ExpireLRU above it.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libmemoize-expirelru-perl '0.56-*'
debian perl '5.36.*'

cat >"$tmp/tie.pl" <<'PROGRAM'
use strict;
use warnings;
use DB_File;
use Fcntl;
use Memoize;
use Memoize::ExpireLRU;

my ($title, $file, $above) = @ARGV;
my $computed = 0;
sub square { $computed++; $_[0] * $_[0] }

my @file = ('DB_File', $file, O_RDWR | O_CREAT, 0600);
my ($class, @options) = $above ? ('Memoize::ExpireLRU', CACHESIZE => 10, TIE => \@file) : @file;
tie my %answers, $class, @options or die $!;
memoize('square', SCALAR_CACHE => [HASH => \%answers], LIST_CACHE => 'FAULT');
my @told = map { eval { scalar square($_) } // 'error' } 1 .. 3;
untie %answers;
tie my %kept, 'DB_File', $file, O_RDWR, 0600 or die $!;
print "$title: the answers are @told, $computed computed, ", scalar(keys %kept), " in the file\n";
PROGRAM

run() { perl "$tmp/tie.pl" "$@" 2>/dev/null; }
as_stated 'first program: the answers are 1 4 9, 3 computed, 0 in the file
second program: the answers are 1 4 9, 3 computed, 0 in the file
control, first program: the answers are 1 4 9, 3 computed, 3 in the file
control, second program: the answers are 1 4 9, 0 computed, 3 in the file
over the file of the control: the answers are error error error, 0 computed, 3 in the file' \
    "$(run 'first program' "$tmp/below" 1
    run 'second program' "$tmp/below" 1
    run 'control, first program' "$tmp/alone" ''
    run 'control, second program' "$tmp/alone" ''
    run 'over the file of the control' "$tmp/alone" 1)"

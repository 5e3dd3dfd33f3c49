#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: libmldbm-sync-perl 0.30 with libtie-cache-perl 0.21 (Debian 12), Perl 5.36.
# Expected: exists() says whether the key is in the database; SyncCacheSize() makes reading faster.
# Really: with a cache exists() asks the cache alone: a key that another process has stored, or the program itself before
#   it was started anew, does not exist, although it can be read. `exists or store` takes a lock that is held.
# Seen: the lines at the end of this script. Control: no cache.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libmldbm-sync-perl '0.30-*'
debian libtie-cache-perl '0.21-*'
debian perl '5.36.*'

cat >"$tmp/exists.pl" <<'PROGRAM'
use strict;
use warnings;
use MLDBM::Sync;
use MLDBM qw(MLDBM::Sync::SDBM_File Storable);
use Fcntl qw(:DEFAULT);

my ($file) = @ARGV;

# Takes the lock as a holder of that name if it does not exist.
sub take {
    my ($holder, $cache) = @_;
    my $sync = tie my %locks, 'MLDBM::Sync', $file, O_CREAT | O_RDWR, 0600 or die $!;
    $sync->SyncCacheSize('100K') if $cache;
    $sync->Lock;
    my $held = exists $locks{door};
    $locks{door} = $holder unless $held;
    my $now = $locks{door};
    $sync->UnLock;
    return ($held ? 'is refused' : 'gets in') . ", held by $now";
}

for my $cache (1, 0) {
    my $title = $cache ? 'with a cache' : 'control, without one';
    print "$title: A ", take('A', $cache), "\n";
    print "$title: B ", take('B', $cache), "\n";
    unlink glob "$file*";
}
PROGRAM

as_stated 'with a cache: A gets in, held by A
with a cache: B gets in, held by B
control, without one: A gets in, held by A
control, without one: B is refused, held by A' "$(/usr/bin/perl "$tmp/exists.pl" "$tmp/locks")"

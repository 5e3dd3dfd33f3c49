#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libtie-hash-expire-perl 0.03 (Debian 12).
# Expected: the manual says that these hashes behave like normal ones but for the expiry. Perl says that it is always
#   safe to delete the entry that each() returned last. So a loop that ends all leases of a hash ends all of them.
# Really: each deletion moves the others forward by one place, and the loop goes on behind the next one: it ends each
#   second lease and is done. A loop that stores in it, as a renewal does, passes entries over and meets others again.
# Seen: the lines at the end of this script. Controls: a plain hash; the loop goes over a list of the keys.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libtie-hash-expire-perl '0.03-*'

cat >"$tmp/each.pl" <<'PROGRAM'
use strict;
use warnings;
use Tie::Hash::Expire;

sub run {
    my ($title, $tied, $loop) = @_;
    my %lease;
    tie %lease, 'Tie::Hash::Expire', {expire_seconds => 3600} if $tied;
    $lease{"lease$_"} = 1 for 1 .. 6;
    $loop->(\%lease);
    print "$title: ", scalar(keys %lease), " of 6 are left: ", join(' ', sort keys %lease), "\n";
}

sub by_each {
    my ($lease) = @_;
    while (my ($key) = each %$lease) { delete $lease->{$key} }
}

run('each() and delete', 1, \&by_each);
run('control, a plain hash', 0, \&by_each);
run('control, keys() and delete', 1, sub { my ($lease) = @_; delete $lease->{$_} for keys %$lease });
PROGRAM

as_stated 'each() and delete: 3 of 6 are left: lease2 lease4 lease6
control, a plain hash: 0 of 6 are left: 
control, keys() and delete: 0 of 6 are left: ' "$(perl "$tmp/each.pl")"

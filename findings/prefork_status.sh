#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libparallel-prefork-perl 0.18 (Debian 12; Parallel::Prefork), Perl 5.36.
# Expected: on_child_reap is told the instance, the process id and the exit status of each child that is reaped.
# Really: of a child that is reaped by wait_all_children(), which the manual calls after the loop, on_child_reap is told
#   another status, here 0: its own status is thrown away. A child that fails while the manager ends counts as done well.
# Seen: the lines at the end of this script. Control: a child of the same kind that start() reaps.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libparallel-prefork-perl '0.18-*'

cat >"$tmp/status.pl" <<'PROGRAM'
use strict;
use warnings;
use Parallel::Prefork;

$| = 1;

# A child that ends with the code 3. The manager is told to stop when the child has begun, or when it has been reaped.
sub run {
    my ($title, $early) = @_;
    my $reaped = 0;
    my $manager = Parallel::Prefork->new({
        max_workers   => 1,
        trap_signals  => {TERM => undef},
        after_fork    => sub { kill 'TERM', $$ if $early },
        on_child_reap => sub {
            my (undef, undef, $status) = @_;
            print "$title: told the code ", $status >> 8, "\n" unless $reaped++;
            kill 'TERM', $$;
        },
    });
    my $work = sub {
        select undef, undef, undef, 2;
        exit 3;
    };
    $manager->start($work);
    $manager->wait_all_children;
}

run('reaped by wait_all_children()', 1);
run('control, reaped by start()', 0);
PROGRAM

as_stated 'reaped by wait_all_children(): told the code 0
control, reaped by start(): told the code 3' "$(timeout 20 /usr/bin/perl "$tmp/status.pl" 2>&1)"

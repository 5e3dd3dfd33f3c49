#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libparallel-iterator-perl 1.002 (Debian 12; Parallel::Iterator), Perl 5.36.
# Expected: the manual says that the caller sees no difference between batches and single jobs, and that onerror is told the
#   index of the job that failed.
# Really: a batch fails as one: the results of all jobs of the batch that were done are thrown away, those behind the
#   failed one are not done at all, and onerror is told the index 0 instead of 6.
# Seen: the lines at the end of this script. Control: a batch of 1.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libparallel-iterator-perl '1.002-*'

cat >"$tmp/batch.pl" <<'PROGRAM'
use strict;
use warnings;
use Parallel::Iterator 'iterate';

my $folder = shift;

# Ten jobs, of which the one with the index 6 fails.
sub run {
    my ($title, $workers, %options) = @_;
    my (@failed, %result);
    my $work = sub {
        my ($index, $job) = @_;
        open my $mark, '>', "$folder/$index" or die;
        die "cannot do $job\n" if $index == 6;
        return $job;
    };
    my $next = iterate({workers => $workers, onerror => sub { push @failed, $_[0] }, %options}, $work, ['a' .. 'j']);
    while (my ($index, $value) = $next->()) {
        $result{$index} = $value;
    }
    my $begun = () = glob "$folder/*";
    unlink glob "$folder/*";
    print "$title: begun $begun, results of ", join(' ', sort keys %result), "; failed: @failed\n";
}

run('batches of 5, two workers', 2, batch => 5);
run('batches of 5, in the process', 0, batch => 5);
run('control, one by one, two workers', 2);
run('control, one by one, in the process', 0);
PROGRAM

mkdir "$tmp/marks"
as_stated 'batches of 5, two workers: begun 7, results of 0 1 2 3 4; failed: 0
batches of 5, in the process: begun 7, results of 0 1 2 3 4; failed: 0
control, one by one, two workers: begun 10, results of 0 1 2 3 4 5 7 8 9; failed: 6
control, one by one, in the process: begun 10, results of 0 1 2 3 4 5 7 8 9; failed: 6' \
    "$(timeout 20 /usr/bin/perl "$tmp/batch.pl" "$tmp/marks" 2>&1)"

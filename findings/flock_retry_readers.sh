#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libfile-flock-retry-perl 0.632 (Debian 12).
# Expected: the manual says that unlock() removes the file if it is empty. With `shared` several read at a time, and a
#   writer gets in when the last of them has left.
# Really: the first reader that leaves removes the file under the others. A writer makes a new file of the same name and
#   locks that one: it writes beside those who still read. It is so in one process and across processes.
# Seen: the lines at the end of this script. Controls: nobody has left; the file is not empty; both have left.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libfile-flock-retry-perl '0.632-*'

cat >"$tmp/readers.pl" <<'PROGRAM'
use strict;
use warnings;
use File::Flock::Retry;

# A and B read the file, which has this content. The named ones leave, then another process asks to write.
sub run {
    my ($title, $content, @leave) = @_;
    my $path = "$ARGV[0]/lock" . length($title);
    if ($content ne '') {
        open my $file, '>', $path or die $!;
        print $file $content;
        close $file;
    }
    my %reader = map { $_ => File::Flock::Retry->lock($path, {shared => 1}) } qw(A B);
    $_->unlock for delete @reader{@leave};
    my $writer = fork // die $!;
    if ($writer == 0) {
        exit(eval { File::Flock::Retry->lock($path, {retries => 0}) } ? 0 : 1);
    }
    waitpid $writer, 0;
    printf "%s: %s, the writer %s\n", $title, (%reader ? join(' and ', sort keys %reader) . ' read' : 'nobody reads'),
        $? == 0 ? 'gets in' : 'is refused';
}

$| = 1;
run('A has left', '', 'A');
run('control, nobody has left', '');
run('control, A has left, the file has a line', "line\n", 'A');
run('control, both have left it', '', 'A', 'B');
PROGRAM

as_stated 'A has left: B read, the writer gets in
control, nobody has left: A and B read, the writer is refused
control, A has left, the file has a line: B read, the writer is refused
control, both have left it: nobody reads, the writer gets in' "$(perl "$tmp/readers.pl" "$tmp")"

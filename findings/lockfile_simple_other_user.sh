#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: liblockfile-simple-perl 0.208 (Debian 12; LockFile::Simple). Needs root, to run one program as another user.
# Expected: the manual says that with -stale stale locks are detected and broken. The lock of a process that lives is not
#   stale, whoever runs it.
# Really: the process is asked by the signal 0, and "you may not" counts as "there is none": the lock of a process of
#   another user is removed under its holder, and the second program gets in. The holder's unlock says no in the end.
# Seen: the lines at the end of this script. Controls: both programs are of one user; without -stale.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian liblockfile-simple-perl '0.208-*'
if [[ $(id -u) != 0 ]]; then
    echo "needs root: nothing was judged" >&2
    exit 2
fi
chmod 711 "$tmp"

cat >"$tmp/user.pl" <<'PROGRAM'
use strict;
use warnings;
use LockFile::Simple;

$| = 1;
my ($stale, $file) = @ARGV;
my $locker = LockFile::Simple->make(-stale => $stale, -wfunc => undef, -efunc => undef);

# Each line that comes in is a call; the answer goes out.
while (<STDIN>) {
    print +(/unlock/ ? $locker->unlock($file) : $locker->trylock($file)) ? "yes\n" : "no\n";
}
PROGRAM

other=(setpriv --reuid nobody --regid nogroup --clear-groups)
number=0

# run TITLE STALE COMMAND...: the holder is of root, the second program runs by COMMAND.
run() {
    local title=$1 stale=$2 answer folder
    shift 2
    folder=$tmp/locks$((++number))
    mkdir -m 777 "$folder"
    coproc holder { exec /usr/bin/perl "$tmp/user.pl" "$stale" "$folder/job"; }
    # shellcheck disable=SC2154  # coproc sets it
    local to=${holder[1]} from=${holder[0]} pid=$holder_PID
    echo lock >&"$to"
    read -r answer <&"$from"
    echo "$title: the holder gets the lock: $answer"
    echo "  beside it the second program gets it: $(echo lock | "$@" /usr/bin/perl "$tmp/user.pl" "$stale" "$folder/job")"
    echo unlock >&"$to"
    read -r answer <&"$from"
    echo "  the holder can unlock: $answer"
    exec {to}>&-
    wait "$pid" || true
}

as_stated 'another user: the holder gets the lock: yes
  beside it the second program gets it: yes
  the holder can unlock: no
control, the same user: the holder gets the lock: yes
  beside it the second program gets it: no
  the holder can unlock: yes
control, without -stale: the holder gets the lock: yes
  beside it the second program gets it: no
  the holder can unlock: yes' "$(run 'another user' 1 "${other[@]}"; run 'control, the same user' 1 env; run 'control, without -stale' 0 "${other[@]}")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-symfony-lock 5.4 with its FlockStore, PHP 8.2 (Debian 12), on Linux.
# Expected: acquireRead() takes a lock for reading, acquire() then makes it a lock for writing, or says false
#   while others read. Who is refused still reads: nobody writes as long as isAcquired() is true.
# Really: the refused acquire() closes the file that held the read lock and keeps its note of it. A's
#   isAcquired() says true, C gets the lock for writing beside it, and A's release() raises a TypeError.
#   Left open, the file would not help: flock(2) gives the shared lock back before it asks for the
#   exclusive one, so that a refusal there leaves nothing either (last part).
# Seen: the lines at the end of this script. Control: the same without A's attempt.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php8.2-cli '8.2.*'
debian php-symfony-lock '5.4.*'

cat >"$tmp/promotion.php" <<'PROGRAM'
<?php
require '/usr/share/php/Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\FlockStore;

function say(string $what, bool $answer): void
{
    echo $what, ': ', $answer ? 'yes' : 'no', "\n";
}

function symfony(string $folder, string $name, bool $attempt): void
{
    $caller = fn () => (new LockFactory(new FlockStore($folder)))->createLock($name, null, false);
    [$a, $b, $c] = [$caller(), $caller(), $caller()];
    say('A reads', $a->acquireRead());
    say('B reads', $b->acquireRead());
    say('C may write', $c->acquire());
    if ($attempt) {
        say('A may write', $a->acquire());
    }
    $b->release();
    say('B has left, C may write', $c->acquire());
    say('A holds', $a->isAcquired());
    say('C holds', $c->isAcquired());
    try {
        $a->release();
    } catch (Throwable $error) {
        echo 'A releases: ', get_class($error), "\n";
    }
}

echo "Symfony\n";
symfony($argv[1], 'report', true);
echo "control\n";
symfony($argv[1], 'control', false);
echo "flock alone\n";
[$a, $b, $c] = array_map(fn () => fopen("$argv[1]/plain", 'c'), range(1, 3));
say('A reads', flock($a, LOCK_SH | LOCK_NB));
say('B reads', flock($b, LOCK_SH | LOCK_NB));
say('A may write', flock($a, LOCK_EX | LOCK_NB));
flock($b, LOCK_UN);
say('B has left, C may write', flock($c, LOCK_EX | LOCK_NB));
PROGRAM

as_stated 'Symfony
A reads: yes
B reads: yes
C may write: no
A may write: no
B has left, C may write: yes
A holds: yes
C holds: yes
A releases: TypeError
control
A reads: yes
B reads: yes
C may write: no
B has left, C may write: no
A holds: yes
C holds: no
flock alone
A reads: yes
B reads: yes
A may write: no
B has left, C may write: yes' "$(php8.2 "$tmp/promotion.php" "$tmp")"

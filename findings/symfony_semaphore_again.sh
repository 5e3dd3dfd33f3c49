#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-symfony-semaphore 5.4 with Redis 7.0, PHP 8.2 and php-redis 5.3 (Debian 12).
# Expected: a holder whose acquire() is answered with true holds for the time from then on, which getRemainingLifetime()
#   and isExpired() tell it.
# Really: the holder's own clock starts anew, the entry in Redis keeps its old end. A takes the only place for 8 s,
#   acquires again after 5 s and is told "true, 8 s left". After 10 s B gets the place, A still believes.
#   Only isAcquired(), which asks Redis, knows.
# Seen: the lines at the end of this script. Controls: refresh() instead, and Symfony's Lock with the same calls.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php8.2-cli '8.2.*'
debian php-redis '5.3.*'
debian php-symfony-semaphore '5.4.*'
debian php-symfony-lock '5.4.*'
debian redis-server '5:7.0.*'
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/again.php" <<'PROGRAM'
<?php
require '/usr/share/php/Symfony/Component/Semaphore/autoload.php';
require '/usr/share/php/Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore as LockStore;
use Symfony\Component\Semaphore\SemaphoreFactory;
use Symfony\Component\Semaphore\Store\RedisStore as SemaphoreStore;

function word(bool $answer): string
{
    return $answer ? 'yes' : 'no';
}

$redis = new Redis();
$redis->connect($argv[1]);
$semaphores = new SemaphoreFactory(new SemaphoreStore($redis));
$locks = new LockFactory(new LockStore($redis));
$semaphore = fn (string $name) => $semaphores->createSemaphore($name, 1, 1, 8, false);
$runs = [
    'Semaphore of 1, A acquires again' => [$semaphore('again'), $semaphore('again')],
    'control: A refreshes' => [$semaphore('refreshed'), $semaphore('refreshed')],
    'control: Lock, A acquires again' => [$locks->createLock('lock', 8, false), $locks->createLock('lock', 8, false)],
];
foreach ($runs as [$a, $b]) {
    $a->acquire();
}
sleep(5);
$told = [];
foreach ($runs as $title => [$a, $b]) {
    $told[$title] = str_contains($title, 'refreshes') ? $a->refresh() ?? true : $a->acquire();
    $left[$title] = round($a->getRemainingLifetime());
}
sleep(5);
foreach ($runs as $title => [$a, $b]) {
    echo $title, "\n";
    echo 'after 5 s A is told: ', word($told[$title]), ", $left[$title] s left\n";
    echo 'after 10 s B gets in: ', word($b->acquire()), "\n";
    echo 'A believes to hold: ', word(!$a->isExpired()), ', holds: ', word($a->isAcquired()), "\n";
}
PROGRAM

as_stated 'Semaphore of 1, A acquires again
after 5 s A is told: yes, 8 s left
after 10 s B gets in: yes
A believes to hold: yes, holds: no
control: A refreshes
after 5 s A is told: yes, 8 s left
after 10 s B gets in: no
A believes to hold: yes, holds: yes
control: Lock, A acquires again
after 5 s A is told: yes, 8 s left
after 10 s B gets in: no
A believes to hold: yes, holds: yes' "$(php8.2 "$tmp/again.php" "$tmp/redis")"

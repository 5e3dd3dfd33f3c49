#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-symfony-rate-limiter 5.4 (Debian 12), PHP 8.2; policy fixed_window.
# Expected: the comment at reserve() says that it waits until there are tokens, and that reserved tokens count
#   when later consumption is reckoned. So of a limit of 2 in 3 s the 3rd and 4th caller are sent to the
#   next window, the 5th and 6th to the one after it, and a full next window refuses newcomers.
# Really: a reservation is added to the present window, and everybody who comes late is told to wait until
#   that one ends: 6 callers of one window act at the same time. The next window begins with a count of 0,
#   so it lets newcomers in beside them.
# Seen: the lines at the end of this script. Control: the policy token_bucket of the same rate.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php8.2-cli '8.2.*'
debian php-symfony-rate-limiter '5.4.*'

cat >"$tmp/reserve.php" <<'PROGRAM'
<?php
require '/usr/share/php/Symfony/Component/RateLimiter/autoload.php';

use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\RateLimiter\Storage\InMemoryStorage;

$policies = [
    ['policy' => 'fixed_window', 'interval' => '3 seconds'],
    ['policy' => 'token_bucket', 'rate' => ['interval' => '3 seconds', 'amount' => 2]],
];
foreach ($policies as $policy) {
    $factory = new RateLimiterFactory($policy + ['id' => 'calls', 'limit' => 2], new InMemoryStorage());
    $limiter = $factory->create();
    $begun = microtime(true);
    $reservations = [];
    for ($i = 0; $i < 8; ++$i) {
        $reservations[] = $limiter->reserve();
    }
    echo $policy['policy'], ', 8 callers act after';
    foreach ($reservations as $reservation) {
        echo ' ', round($reservation->getTimeToAct() - $begun);
    }
    echo " s\n";
    if ('fixed_window' === $policy['policy']) {
        usleep((int) (($begun + 3.5 - microtime(true)) * 1000000));
        echo 'newcomers at 3.5 s:';
        for ($i = 0; $i < 3; ++$i) {
            echo $limiter->consume()->isAccepted() ? ' accepted' : ' refused';
        }
        echo "\n";
    }
}
PROGRAM

as_stated 'fixed_window, 8 callers act after 0 0 3 3 3 3 3 3 s
newcomers at 3.5 s: accepted accepted refused
token_bucket, 8 callers act after 0 0 3 3 6 6 9 9 s' "$(/usr/bin/php8.2 "$tmp/reserve.php")"

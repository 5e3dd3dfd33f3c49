#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-laravel-framework 8.83.26 (Debian 12; the middlewares ThrottleRequests and RateLimited), with PHP 8.2.
# Expected: the documentation of rate limiting shows a limiter with several limits, say 500 a minute for all and 3 a
#   minute for each address, and says that each limit is evaluated in its order. A request that is refused has not
#   been served, so it takes nothing from anybody.
# Really: each limit is counted as soon as it has said yes, and is not given back when a later one says no. Whoever has
#   used up the own limit goes on taking from the common one by asking, until everybody is refused: of 8 places 2 were
#   used, and an address that never asked before gets none.
# Seen: the lines at the end of this script. Controls: with the limit of each address alone nobody is disturbed; with
#   both limits two addresses that stay within theirs are served.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-laravel-framework '8.83.26+*'
debian php8.2-cli '8.2.*'

cat >"$tmp/limits.php" <<'PROGRAM'
<?php
require_once 'Illuminate/autoload.php';

use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Cache\Repository;
use Illuminate\Http\Exceptions\ThrottleRequestsException;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Middleware\ThrottleRequests;

function run($title, $limits, $addresses)
{
    echo "$title\n";
    $limiter = new RateLimiter(new Repository(new ArrayStore));
    $limiter->for('login', $limits);
    $served = array_fill_keys($addresses, 0);
    foreach ($addresses as $address) {
        $request = Request::create('/login', 'POST', [], [], [], ['REMOTE_ADDR' => $address]);
        try {
            (new ThrottleRequests($limiter))->handle($request, fn () => new Response('welcome'), 'login');
            $served[$address]++;
        } catch (ThrottleRequestsException $e) {
        }
    }
    $asked = array_count_values($addresses);
    foreach ($served as $address => $count) {
        echo "$address: asked {$asked[$address]}, served $count\n";
    }
    echo 'served in all: ', array_sum($served), "\n";
}

$all = Limit::perMinute(8);
$each = fn ($request) => Limit::perMinute(2)->by($request->ip());
$greedy = array_merge(array_fill(0, 8, '10.0.0.1'), ['10.0.0.2', '10.0.0.2']);
run('8 for all, 2 for each address', fn ($request) => [$all, $each($request)], $greedy);
run('control: 2 for each address', $each, $greedy);
run('control: 8 for all, 2 for each address, nobody asks too often', fn ($request) => [$all, $each($request)],
    ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.2']);
PROGRAM

as_stated '8 for all, 2 for each address
10.0.0.1: asked 8, served 2
10.0.0.2: asked 2, served 0
served in all: 2
control: 2 for each address
10.0.0.1: asked 8, served 2
10.0.0.2: asked 2, served 2
served in all: 4
control: 8 for all, 2 for each address, nobody asks too often
10.0.0.1: asked 2, served 2
10.0.0.2: asked 2, served 2
served in all: 4' "$(/usr/bin/php8.2 "$tmp/limits.php" 2>&1)"

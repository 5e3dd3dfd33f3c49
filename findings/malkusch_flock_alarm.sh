#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-malkusch-lock 2.2.1 (Debian 12; FlockMutex with a time-out), with PHP 8.2.
# Expected: a call that fails to lock leaves the program as it was.
# Really: the time-out of FlockMutex is made of alarm(). If the program has set an alarm of its own the call is refused
#   ("Existing alarm was not expected") after that alarm has been replaced and its handler too: the program's own
#   alarm never comes, and when the time-out of the refused call is over an exception is thrown into whatever runs.
# Seen: the lines at the end of this script. Controls: no alarm is set; the mutex has no time-out.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-malkusch-lock '2.2.1*'
debian php8.2-cli '8.2.*'

cat >"$tmp/alarm.php" <<'PROGRAM'
<?php
require 'Malkusch/Lock/autoload.php';

use malkusch\lock\mutex\FlockMutex;

pcntl_async_signals(true);
[, $title, $alarm, $timeout, $path] = $argv;
$told = [];
pcntl_signal(SIGALRM, function () use (&$told) { $told[] = 'its own alarm'; });
if ($alarm) {
    pcntl_alarm(3);
}
$mutex = $timeout ? new FlockMutex(fopen($path, 'c'), 1) : new FlockMutex(fopen($path, 'c'));
try {
    $mutex->synchronized(function () use (&$told) { $told[] = 'locked'; });
} catch (Exception $error) {
    $told[] = 'refused: ' . $error->getMessage();
}
try {
    for ($end = microtime(true) + 5; microtime(true) < $end;) {
        usleep(50000);
    }
    $told[] = 'the work is done';
} catch (Exception $error) {
    $told[] = 'the work is interrupted: ' . $error->getMessage();
}
echo "$title: ", implode('; ', $told), "\n";
PROGRAM

run() { php -d include_path=/usr/share/php "$tmp/alarm.php" "$@" "$tmp/lock"; }
as_stated 'an alarm of 3 s, a mutex of 1 s: refused: Existing alarm was not expected; the work is interrupted: Timebox hit deadline of 1 seconds
control, no alarm, a mutex of 1 s: locked; the work is done
control, an alarm of 3 s, a mutex without a time-out: locked; its own alarm; the work is done' "$(run 'an alarm of 3 s, a mutex of 1 s' 1 1
    run 'control, no alarm, a mutex of 1 s' 0 1
    run 'control, an alarm of 3 s, a mutex without a time-out' 1 0)"

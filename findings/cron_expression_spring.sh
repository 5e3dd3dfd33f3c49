#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-dragonmantank-cron-expression 3.3.1 (Debian 12), PHP 8.2.
# Expected: getNextRunDate() gives the next time at which the job is due, each time a later one. A job of each day at noon
#   is due on each day, and one of each Sunday on each Sunday.
# Really: when it looks for the hour on the day on which summer time begins it is an hour too late and goes on to the next
#   day: a job at a stated hour after the change is not due on that day. The days of the change are Sundays: the job of
#   each Sunday has a pause of two weeks.
# Seen: the lines at the end of this script. Controls: the days before; a job of each hour; autumn.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-dragonmantank-cron-expression '3.3.1-*'
debian php8.2-cli '8.2.*'
debian tzdata '202*'

cat >"$tmp/spring.php" <<'PROGRAM'
<?php
require '/usr/share/php/Cron/autoload.php';

function run(string $title, string $zone, string $expression, string $begin, int $times): void
{
    $cron = new Cron\CronExpression($expression);
    $at = new DateTime($begin, new DateTimeZone($zone));
    $due = [];
    for ($number = 0; $number < $times; $number++) {
        $at = $cron->getNextRunDate($at, 0, false, $zone);
        $due[] = $at->format('M j H:i');
    }
    echo "$title, $expression: ", implode(', ', $due), "\n";
}

run('Berlin, March 26', 'Europe/Berlin', '0 12 * * *', '2023-03-25 00:30', 2);
run('Berlin, March 26', 'Europe/Berlin', '0 12 * * 0', '2023-03-19 00:30', 2);
run('New York, March 12', 'America/New_York', '30 4 * * *', '2023-03-11 00:30', 2);
run('control, Berlin, two days before', 'Europe/Berlin', '0 12 * * *', '2023-03-24 00:30', 2);
run('control, Berlin, the week before', 'Europe/Berlin', '0 12 * * 0', '2023-03-12 00:30', 2);
run('control, Berlin, March 26', 'Europe/Berlin', '0 * * * *', '2023-03-26 00:30', 4);
run('control, Berlin, October 29', 'Europe/Berlin', '0 12 * * *', '2023-10-28 00:30', 2);
PROGRAM

as_stated 'Berlin, March 26, 0 12 * * *: Mar 25 12:00, Mar 27 12:00
Berlin, March 26, 0 12 * * 0: Mar 19 12:00, Apr 2 12:00
New York, March 12, 30 4 * * *: Mar 11 04:30, Mar 13 04:30
control, Berlin, two days before, 0 12 * * *: Mar 24 12:00, Mar 25 12:00
control, Berlin, the week before, 0 12 * * 0: Mar 12 12:00, Mar 19 12:00
control, Berlin, March 26, 0 * * * *: Mar 26 01:00, Mar 26 03:00, Mar 26 04:00, Mar 26 05:00
control, Berlin, October 29, 0 12 * * *: Oct 28 12:00, Oct 29 12:00' \
    "$(php -d display_errors=stderr "$tmp/spring.php")"

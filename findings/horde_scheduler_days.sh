#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-horde-scheduler 2.0.3 (Debian 12; Horde_Scheduler_Cron_Date), PHP 8.2.
# Expected: a job of each day (*), of the 15th or of January is due on those days; the table of examples at the head of
#   Horde_Scheduler_Cron has * for each day, values, sets and ranges.
# Really: * and a single day are never due, a range is: of "15" nothing, of "15-15" the 15th. Of the months the first
#   one of the list is never due, so that a job of January alone never runs.
# Seen: the lines at the end of this script, with the days of 2023 on which each schedule is due at noon. Controls:
#   ranges.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-horde-scheduler '2.0.3-*'
debian php-horde-util '2.5.*'
debian php8.2-cli '8.2.*'

cat >"$tmp/days.php" <<'PROGRAM'
<?php
error_reporting(0);
date_default_timezone_set('UTC');
set_include_path('/usr/share/php');
spl_autoload_register(function ($class) { @include str_replace(['_', '\\'], '/', $class) . '.php'; });

// Second, minute, hour, day and month.
function run($title, $days, $months)
{
    $date = new Horde_Scheduler_Cron_Date("0 0 12 $days $months");
    $due = 0;
    for ($noon = gmmktime(12, 0, 0, 1, 1, 2023); gmdate('Y', $noon) == 2023; $noon += 86400) {
        $due += $date->scheduledAt($noon) ? 1 : 0;
    }
    echo "$title days $days, months $months: due on $due days\n";
}

run('for', '*', '*');
run('for', '15', '*');
run('for', '1,15', '*');
run('for', '1-31', '1');
run('for', '1-31', '3,4,5');
run('control, for', '1-31', '*');
run('control, for', '15-15', '*');
PROGRAM

as_stated 'for days *, months *: due on 0 days
for days 15, months *: due on 0 days
for days 1,15, months *: due on 0 days
for days 1-31, months 1: due on 0 days
for days 1-31, months 3,4,5: due on 61 days
control, for days 1-31, months *: due on 365 days
control, for days 15-15, months *: due on 12 days' "$(php8.2 "$tmp/days.php")"

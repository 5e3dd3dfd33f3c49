#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-horde-queue 1.1.5 (Debian 12; Horde_Queue_Storage_Db) on SQLite, PHP 8.2.
# Expected: a task that fails is told and the runner goes on; what was not begun is in the queue for the next runner.
# Really: up to 50 tasks are deleted before the first one is run, and only an Exception is caught: a task that ends by an
#   Error, as a wrong type does in PHP, takes all tasks behind it along.
# Seen: the lines at the end of this script. Controls: the task throws an Exception; all are well.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-horde-queue '1.1.5-*'
debian php-horde-db '2.4.1-*'
debian php8.2-sqlite3 '8.2.*'
debian php8.2-cli '8.2.*'

cat >"$tmp/batch.php" <<'PROGRAM'
<?php
error_reporting(E_ALL & ~E_DEPRECATED);
set_include_path('/usr/share/php');
spl_autoload_register(function ($class) { @include str_replace(['_', '\\'], '/', $class) . '.php'; });

class Mail implements Horde_Queue_Task
{
    public function __construct(public int $number, public string $failing) {}

    public function run()
    {
        if ($this->failing == 'Error') {
            strlen([]);
        }
        if ($this->failing == 'Exception') {
            throw new Exception('no such address');
        }
        file_put_contents($GLOBALS['argv'][2], "$this->number ", FILE_APPEND);
    }
}

[, $file, $sent, $what] = $argv;
$db = new Horde_Db_Adapter_Pdo_Sqlite(['dbname' => $file]);
$queue = new Horde_Queue_Storage_Db($db);
if ($what != 'run') {
    $db->execute('CREATE TABLE horde_queue_tasks (task_id INTEGER PRIMARY KEY, task_queue TEXT, task_fields TEXT)');
    for ($number = 1; $number <= 6; $number++) {
        $queue->add(new Mail($number, $number == 2 ? $what : ''));
    }
} else {
    (new Horde_Queue_Runner_RequestShutdown($queue))->run();
}
PROGRAM

for failing in Error Exception none; do
    sent=$tmp/sent.$failing
    touch "$sent"
    php8.2 "$tmp/batch.php" "$tmp/$failing.db" "$sent" "$failing"
    # Two runners, one after the other.
    for runner in 1 2; do
        php8.2 "$tmp/batch.php" "$tmp/$failing.db" "$sent" run >"$tmp/said.$runner" 2>&1 || true
    done
    echo "task 2 of 6 ends by: $failing; sent: $(cat "$sent")"
done >"$tmp/seen"

as_stated 'task 2 of 6 ends by: Error; sent: 1 
task 2 of 6 ends by: Exception; sent: 1 3 4 5 6 
task 2 of 6 ends by: none; sent: 1 2 3 4 5 6 ' "$(cat "$tmp/seen")"

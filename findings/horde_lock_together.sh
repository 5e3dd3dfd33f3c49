#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: php-horde-lock 2.1.4 with php-horde-db 2.4 and SQLite (Debian 12), PHP 8.2.
# Expected: while somebody has the exclusive lock of a resource nobody else gets a lock of it. The lock of one resource
#   says nothing of another one.
# Really: setLock() looks for locks and then inserts its own, with nothing that holds the two together: who looks before
#   the other one has inserted gets an exclusive lock as well. A resource whose name is 0 counts as not named: it is
#   refused if any resource of the scope is locked.
# Seen: the lines at the end of this script. The order is certain: B asks when A is about to insert. Controls: B asks
#   afterwards; a resource of another name.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-horde-lock '2.1.4-*'
debian php-horde-db '2.4.*'
debian php8.2-sqlite3 '8.2.*'
debian php8.2-cli '8.2.*'

cat >"$tmp/together.php" <<'PROGRAM'
<?php
error_reporting(E_ALL & ~E_DEPRECATED);
spl_autoload_register(function ($class) { include strtr($class, '_', '/') . '.php'; });

// The real adapter, with a moment before each insertion.
class Adapter extends Horde_Db_Adapter_Pdo_Sqlite
{
    public $before;

    public function insert($sql, $arg1 = null, $arg2 = null, $pk = null, $idValue = null, $sequenceName = null)
    {
        $before = $this->before;
        $this->before = null;
        if ($before) {
            $before();
        }
        return parent::insert($sql, $arg1, $arg2, $pk, $idValue, $sequenceName);
    }
}

function locks()
{
    $database = new Adapter(['dbname' => ':memory:']);
    $database->execute('CREATE TABLE horde_locks (lock_id TEXT PRIMARY KEY, lock_owner TEXT, lock_scope TEXT,
        lock_principal TEXT, lock_origin_timestamp INT, lock_update_timestamp INT, lock_expiry_timestamp INT,
        lock_type INT)');
    return [$database, new Horde_Lock_Sql(['db' => $database])];
}

function ask($locks, $who, $what)
{
    $answer = $locks->setLock($who, 'calendar', $what, 3600, Horde_Lock::TYPE_EXCLUSIVE);
    return "$who " . ($answer ? 'has' : 'is refused') . " the lock of $what";
}

[$database, $locks] = locks();
$told = [];
$database->before = function () use (&$told, $locks) { $told[] = ask($locks, 'B', '7'); };
$told[] = ask($locks, 'A', '7');
echo 'B asks while A asks: ', implode(', ', $told), '; exclusive locks of 7: ', count($locks->getLocks('calendar', '7')), "\n";

[$database, $locks] = locks();
echo 'control, B asks afterwards: ', ask($locks, 'A', '7'), ', ', ask($locks, 'B', '7'), "\n";

[$database, $locks] = locks();
echo 'a resource called 0: ', ask($locks, 'A', '7'), ', ', ask($locks, 'B', '0'), "\n";

[$database, $locks] = locks();
echo 'control, one called 8: ', ask($locks, 'A', '7'), ', ', ask($locks, 'B', '8'), "\n";
PROGRAM

as_stated 'B asks while A asks: B has the lock of 7, A has the lock of 7; exclusive locks of 7: 2
control, B asks afterwards: A has the lock of 7, B is refused the lock of 7
a resource called 0: A has the lock of 7, B is refused the lock of 0
control, one called 8: A has the lock of 7, B has the lock of 8' "$(php -d include_path=/usr/share/php "$tmp/together.php")"

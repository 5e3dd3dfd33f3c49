#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: php-laravel-framework 8.83.26 (Debian 12; Illuminate\Bus and Illuminate\Cache), with PHP 8.2.
# Expected: the documentation of unique jobs says that a job that implements ShouldBeUnique is not dispatched while
#   another one of its class and its uniqueId is on the queue, and that the lock is released when the job is done or
#   has failed for good. A dispatch that fails with an error puts nothing on the queue and leaves no lock. Two
#   classes are two locks.
# Really: dispatch() takes the lock before it speaks to the queue and keeps it when that fails. Each later dispatch
#   does nothing, without an error, for uniqueFor seconds; without uniqueFor, for ever. The name of the lock is the name
#   of the class with the id right behind it, so that the job 12 of a class "Export" is the job 2 of "Export1".
# Seen: the lines at the end of this script. Controls: a job that is not unique; a queue that works.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian php-laravel-framework '8.83.26+*'
debian php8.2-cli '8.2.*'

cat >"$tmp/unique.php" <<'PROGRAM'
<?php
require_once 'Illuminate/autoload.php';

use Illuminate\Bus\Dispatcher;
use Illuminate\Bus\Queueable;
use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\Repository;
use Illuminate\Container\Container;
use Illuminate\Contracts\Queue\Queue;
use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Foundation\Bus\Dispatchable;

class Plain implements ShouldQueue
{
    use Dispatchable, Queueable;
    public function __construct(public string $uniqueId) {}
}
class Report extends Plain implements ShouldBeUnique {}
class Export extends Plain implements ShouldBeUnique {}
class Export1 extends Plain implements ShouldBeUnique {}

// A queue that counts its jobs and cannot be reached at first, if told so.
class CountingQueue extends Illuminate\Queue\NullQueue
{
    public $jobs = [];
    public $reachable = true;
    public function push($job, $data = '', $queue = null)
    {
        if (! $this->reachable) {
            throw new RuntimeException('connection refused');
        }
        $this->jobs[] = get_class($job).' '.$job->uniqueId;
    }
}

$queue = new CountingQueue;
$container = Container::getInstance();
$container->instance(Illuminate\Contracts\Cache\Repository::class, new Repository(new ArrayStore));
$container->instance(Illuminate\Contracts\Bus\Dispatcher::class, new Dispatcher($container, fn () => $queue));

function dispatch_it($class, $id)
{
    global $queue;
    $before = count($queue->jobs);
    try {
        $class::dispatch($id);
        $answer = count($queue->jobs) > $before ? 'on the queue' : 'no error, nothing on the queue';
    } catch (RuntimeException $e) {
        $answer = $e->getMessage();
    }
    echo "$class $id: $answer\n";
}

foreach (['Report', 'Plain'] as $class) {
    echo $class == 'Plain' ? 'control: not unique, ' : '', "the queue cannot be reached\n";
    $queue->reachable = false;
    dispatch_it($class, '7');
    $queue->reachable = true;
    echo "it is back, and empty\n";
    dispatch_it($class, '7');
}
echo "control: the queue works\n";
dispatch_it('Report', '8');
dispatch_it('Report', '9');
echo "two classes\n";
dispatch_it('Export1', '2');
dispatch_it('Export', '12');
dispatch_it('Export', '13');
PROGRAM

as_stated 'the queue cannot be reached
Report 7: connection refused
it is back, and empty
Report 7: no error, nothing on the queue
control: not unique, the queue cannot be reached
Plain 7: connection refused
it is back, and empty
Plain 7: on the queue
control: the queue works
Report 8: on the queue
Report 9: on the queue
two classes
Export1 2: on the queue
Export 12: no error, nothing on the queue
Export 13: on the queue' "$(/usr/bin/php8.2 "$tmp/unique.php" 2>&1)"

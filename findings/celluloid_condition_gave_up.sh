#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-celluloid 0.16.0 (Debian 12), Ruby 3.1.
# Expected: a wait on a Condition that has ended by its time-out is out of the queue: the next signal wakes who waits.
# Really: it keeps its place: the signal goes to who gave up. A thread that still waits is not told; a task that gave up
#   and waits for something else by then is woken out of that.
# Seen: the lines at the end of this script. Control: nobody gave up.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-celluloid '0.16.0-*'
debian ruby '1:3.1*'

cat >"$tmp/gave_up.rb" <<'PROGRAM'
require 'celluloid'
Celluloid.logger = nil

class Waiter
  include Celluloid

  # Waits for the first condition for a tenth of a second, then for the second one.
  def work(first, second, told)
    begin
      told << "first: #{first.wait(0.1)}"
    rescue Celluloid::ConditionError
      told << 'first: time-out'
    end
    told << "second: #{second.wait}" if second
  end
end

def thread_run(title, impatient)
  condition = Celluloid::Condition.new
  told = Queue.new
  if impatient
    Thread.new do
      condition.wait(0.1)
    rescue Celluloid::ConditionError
      nil
    end.join
  end
  Thread.new { told << condition.wait }
  sleep 0.8
  condition.signal('your turn')
  sleep 0.8
  puts "#{title}: who waits is told #{told.empty? ? 'nothing' : told.pop}"
end

def task_run(title, first, second)
  told = Queue.new
  waiter = Waiter.new
  waiter.async.work(first, second, told)
  sleep 1.5
  first.signal('the door is open')
  sleep 0.8
  puts "#{title}: #{Array.new(told.size) { told.pop }.join(', ')}"
end

thread_run('one thread gave up, another one waits', true)
thread_run('control, nobody gave up', false)
task_run('a task gave up and waits for another condition', Celluloid::Condition.new, Celluloid::Condition.new)
PROGRAM

as_stated 'one thread gave up, another one waits: who waits is told nothing
control, nobody gave up: who waits is told your turn
a task gave up and waits for another condition: first: time-out, second: the door is open' "$(/usr/bin/ruby -W0 "$tmp/gave_up.rb" 2>"$tmp/errors" || cat "$tmp/errors")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-celluloid 0.16.0 (Debian 12), Ruby 3.1.
# Expected: a task whose wait on a Condition has ended by its time-out has nothing to do with that Condition any more.
# Really: a later signal wakes it in whatever it waits for by then: its wait for a second Condition ends with the value of the
#   first one.
# Seen: the lines at the end of this script. Controls: the first Condition is signalled in time; nobody signals it.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-celluloid '0.16.0-*'
debian ruby '1:3.1*'

cat >"$tmp/gave_up.rb" <<'PROGRAM'
require 'celluloid'
Celluloid.logger = nil

class Waiter
  include Celluloid

  # Waits for the first condition, then for the second one.
  def work(first, second, told)
    [['first', first, 1], ['second', second, 3]].each do |name, condition, seconds|
      told << "#{name}: #{condition.wait(seconds)}"
    rescue Celluloid::ConditionError
      told << "#{name}: time-out"
    end
  end
end

def run(title, signalled)
  first = Celluloid::Condition.new
  told = Queue.new
  Waiter.new.async.work(first, Celluloid::Condition.new, told)
  sleep signalled if signalled
  first.signal('the door is open') if signalled
  puts "#{title}: #{told.pop}, #{told.pop}"
end

run('signalled after the time-out', 2)
run('control, signalled in time', 0.3)
run('control, never signalled', nil)
PROGRAM

as_stated 'signalled after the time-out: first: time-out, second: the door is open
control, signalled in time: first: the door is open, second: time-out
control, never signalled: first: time-out, second: time-out' "$(/usr/bin/ruby -W0 "$tmp/gave_up.rb" 2>"$tmp/errors" || cat "$tmp/errors")"

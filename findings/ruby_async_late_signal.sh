#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-async 1.30.3 (Debian 12; Async::Notification), Ruby 3.1.
# Expected: a task whose wait for a notification ends by with_timeout() waits for it no more. What it waits for next, a
#   sleep or the signal of another condition, lasts until that comes.
# Really: signal() keeps the list of those who wait for the next turn of the event loop. A task whose time is over in
#   between gets the time-out and, one turn later, the wake-up as well, wherever it waits by then: a sleep of a
#   thousand seconds is over at once, the wait for another condition returns although nobody has signalled it. It
#   needs a signal and a time-out in one turn of the loop, which a busy task provides.
# Seen: the lines at the end of this script. Controls: the time-out comes first; there is no time-out.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-async '1.30.3-*'

cat >"$tmp/late.rb" <<'PROGRAM'
require 'async'
require 'async/condition'
require 'async/notification'

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

# A busy task keeps the loop until both the signal and the time-out are due; the one that is due earlier comes first.
# Afterwards the task sleeps, or waits for a condition.
def run(title, signal, timeout, sleeps)
  Async do |task|
    notification = Async::Notification.new
    condition = Async::Condition.new
    waits = nil
    waiter = task.async do |me|
      begin
        me.with_timeout(timeout) { notification.wait }
        puts "#{title}: notified"
      rescue Async::TimeoutError
        puts "#{title}: its time is over"
      end
      waits = sleeps ? 'sleeps its thousand seconds' : 'waits for the condition'
      sleeps ? me.sleep(1000) : condition.wait
      waits = sleeps ? 'is woken from its sleep' : 'returns from the condition, which nobody has signalled'
    end
    task.async { |me| me.sleep(signal); notification.signal }
    task.async do |me|
      me.sleep(0.1)
      till = now + 1.4
      nil while now < till
    end
    task.sleep(3)
    puts "  it #{waits}"
    waiter.stop
  end
end

run('a signal, then the time-out', 0.5, 1, true)
run('a signal, then the time-out', 0.5, 1, false)
run('control: the time-out, then the signal', 1, 0.5, true)
run('control: the time-out, then the signal', 1, 0.5, false)
run('control: a signal, the time-out much later', 0.5, 60, true)
PROGRAM

as_stated 'a signal, then the time-out: its time is over
  it is woken from its sleep
a signal, then the time-out: its time is over
  it returns from the condition, which nobody has signalled
control: the time-out, then the signal: its time is over
  it sleeps its thousand seconds
control: the time-out, then the signal: its time is over
  it waits for the condition
control: a signal, the time-out much later: notified
  it sleeps its thousand seconds' "$(timeout 50 /usr/bin/ruby "$tmp/late.rb" 2>&1)"

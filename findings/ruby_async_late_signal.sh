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

# A task that blocks keeps the loop until both the signal and the time-out are due; the one that is due earlier comes
# first. Afterwards the waiter sleeps, or waits for a condition.
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
      me.sleep(0.2)
      Fiber.new(blocking: true) { sleep(4.5) }.resume
    end
    task.sleep(7)
    puts "  it #{waits}"
    waiter.stop
  end
end

case ARGV[0]
when '0' then run('a signal, then the time-out', 2, 3.5, true)
when '1' then run('a signal, then the time-out', 2, 3.5, false)
when '2' then run('control: the time-out, then the signal', 3.5, 2, true)
when '3' then run('control: the time-out, then the signal', 3.5, 2, false)
when '4' then run('control: a signal, the time-out much later', 2, 60, true)
end
PROGRAM

# All cases at the same time, each in a process of its own.
running=()
for number in 0 1 2 3 4; do
    timeout 50 /usr/bin/ruby "$tmp/late.rb" "$number" >"$tmp/told.$number" 2>&1 &
    running+=($!)
done
for process in "${running[@]}"; do
    wait "$process" || { echo "not done in 50 s: nothing was judged" >&2; exit 2; }
done

as_stated 'a signal, then the time-out: its time is over
  it is woken from its sleep
a signal, then the time-out: its time is over
  it returns from the condition, which nobody has signalled
control: the time-out, then the signal: its time is over
  it sleeps its thousand seconds
control: the time-out, then the signal: its time is over
  it waits for the condition
control: a signal, the time-out much later: notified
  it sleeps its thousand seconds' "$(cat "$tmp"/told.?)"

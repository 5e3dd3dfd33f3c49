#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-barrier 1.0.2 (Debian 12), Ruby 3.1.
# Expected: the documentation says that a thread which calls wait blocks until the required number of threads have called
#   it. At a barrier of three nobody passes while two are there.
# Really: who gives up, by a time-out or because it is killed, stays in the count. Of three one has left, and two pass as if
#   all were there. Somebody who is woken for another reason passes alone, because the wait is not looked at again.
# Seen: the lines at the end of this script. Controls: two of three, nobody left; three of three.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-barrier '1.0.2-*'
debian ruby '1:3.1*'

cat >"$tmp/barrier.rb" <<'PROGRAM'
require 'barrier'
require 'timeout'

# How many of the threads have passed after 3 s; those who wait end with the program.
def passed(threads)
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 3
  threads.count { |thread| thread.join([deadline - Process.clock_gettime(Process::CLOCK_MONOTONIC), 0].max) }
end

def party(barrier)
  thread = Thread.new { barrier.wait }
  Thread.pass until thread.status == 'sleep' || !thread.alive?
  thread
end

barrier = Barrier.new(3)
begin
  Timeout.timeout(0.3) { barrier.wait }
rescue Timeout::Error
  puts 'one of three gives up after its time'
end
puts "  two others come: #{passed([party(barrier), party(barrier)])} pass"

barrier = Barrier.new(3)
party(barrier).kill.join
puts 'one of three is killed in its wait'
puts "  two others come: #{passed([party(barrier), party(barrier)])} pass"

barrier = Barrier.new(3)
one = party(barrier)
one.wakeup
puts "one of three is woken: #{passed([one])} passes"

barrier = Barrier.new(3)
puts "control, two of three: #{passed([party(barrier), party(barrier)])} pass"
barrier = Barrier.new(3)
puts "control, three of three: #{passed([party(barrier), party(barrier), party(barrier)])} pass"
exit!
PROGRAM

as_stated 'one of three gives up after its time
  two others come: 2 pass
one of three is killed in its wait
  two others come: 2 pass
one of three is woken: 1 passes
control, two of three: 0 pass
control, three of three: 3 pass' "$(/usr/bin/ruby -e '$stdout.sync = true; load ARGV[0]' "$tmp/barrier.rb")"

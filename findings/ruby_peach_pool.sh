#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-peach 0.5.1 (Debian 12), Ruby 3.1.
# Expected: the README says that the argument of peach and pmap is the number of worker threads that one wants.
# Really: the list is cut into parts of its length divided by that number, rounded down, and each part has a thread: with
#   a length that is no multiple of it there are more, up to twice as many less one. Of seven elements by 4 all seven run
#   at once, of 19 by 10 all 19.
# Seen: the lines at the end of this script. Control: eight elements by 4.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-peach '0.5.1-*'
debian ruby '1:3.1*'

cat >"$tmp/pool.rb" <<'PROGRAM'
require 'peach'

# Each call stays until as many threads as are expected have begun, or ten seconds are over.
def run(title, elements, threads, expected)
  inside = most = 0
  used = {}
  mutex = Mutex.new
  changed = ConditionVariable.new
  deadline = Time.now + 10
  (1..elements).to_a.peach(threads) do
    mutex.synchronize do
      used[Thread.current] = true
      most = [most, inside += 1].max
      changed.broadcast
      changed.wait(mutex, 1) until used.size >= expected || Time.now > deadline
      inside -= 1
    end
  end
  puts "#{title}: #{used.size} threads, #{most} at once"
end

run('7 elements by 4 threads', 7, 4, 7)
run('19 elements by 10 threads', 19, 10, 19)
run('11 elements by 4 threads', 11, 4, 6)
run('control, 8 elements by 4 threads', 8, 4, 4)
PROGRAM

as_stated '7 elements by 4 threads: 7 threads, 7 at once
19 elements by 10 threads: 19 threads, 19 at once
11 elements by 4 threads: 6 threads, 6 at once
control, 8 elements by 4 threads: 4 threads, 4 at once' "$(timeout 50 /usr/bin/ruby "$tmp/pool.rb")"

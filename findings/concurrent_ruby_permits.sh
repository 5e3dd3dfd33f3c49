#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-concurrent 1.1.6 (Debian 12; concurrent-ruby), Ruby 3.1.
# Expected: the documentation of Semaphore says that try_acquire with a timeout gets its permits when they
#   come free within that time, and that a release may let one waiting caller go on. So who wants one
#   permit gets it as soon as one is free.
# Really: a release of one permit wakes one waiter, the one who has waited longest. When that one wants
#   three it goes back to sleep and nobody else is woken: B sleeps beside a free permit until its own
#   time-out, looks again then, and gets it.
# Seen: the lines at the end of this script. Control: A wants one permit as well.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby '1:3.1*'
debian ruby-concurrent '1.1.6+*'

cat >"$tmp/permits.rb" <<'PROGRAM'
require "concurrent"

# Runs the block in a thread that is asleep in the semaphore when this returns.
def waiter(semaphore, permits, patience)
  thread = Thread.new do
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    got = semaphore.try_acquire(permits, patience)
    took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
    semaphore.release(permits) if got
    [got ? "granted" : "refused", took < patience ? "before its time-out" : "at its time-out"].join(" ")
  end
  sleep 0.05 until thread.status == "sleep"
  sleep 0.2
  thread
end

[3, 1].each do |wanted|
  semaphore = Concurrent::Semaphore.new(1)
  semaphore.acquire
  first = waiter(semaphore, wanted, 8)
  second = waiter(semaphore, 1, 3)
  semaphore.release
  sleep 1
  puts "A wants #{wanted}; 1 s after a release #{semaphore.available_permits} free, " \
       "B #{second.alive? ? 'asleep' : 'served'}"
  puts "B: #{second.value}"
  first.kill
end
PROGRAM

as_stated 'A wants 3; 1 s after a release 1 free, B asleep
B: granted at its time-out
A wants 1; 1 s after a release 1 free, B served
B: granted before its time-out' "$(/usr/bin/ruby "$tmp/permits.rb")"

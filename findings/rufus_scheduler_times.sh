#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-rufus-scheduler 3.8.2 (Debian 12).
# Expected: the README says that times: is how many times a repeated job is to execute before it unschedules itself,
#   that a job with overlap: false does not trigger while it runs, and that a trigger lock which another scheduler has
#   prevents the job from triggering. So a job with times: 3 is done three times.
# Really: each turn is taken from times, also one that was refused. A job that runs longer than its period is done once
#   instead of three times; a scheduler that gets the lock only at its fourth turn does nothing. Then the job is
#   gone from the schedule, and nobody is told.
# Seen: the lines at the end of this script. Controls: overlap is allowed; the job is short; the lock is there at once.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-rufus-scheduler '3.8.2-*'

cat >"$tmp/times.rb" <<'PROGRAM'
require 'rufus-scheduler'

# A trigger lock, which the scheduler asks before each turn. Somebody else has it until it is free.
class TriggerLock
  attr_accessor :free
  attr_reader :refused

  def initialize(free)
    @free = free
    @refused = 0
  end

  def lock
    @refused += 1 unless free
    free
  end

  def unlock; end
end

def patiently
  100.times { yield ? (return true) : sleep(0.1) }
  false
end

# A job every 0.4 s with times: 3. It ends when it may; the lock is free from when it may end.
def run(title, options, long: false, locked: false)
  lock = TriggerLock.new(!locked)
  scheduler = Rufus::Scheduler.new(frequency: 0.05, trigger_lock: lock)
  may_end = !long
  done = 0
  job = scheduler.schedule_every('0.4s', times: 3, **options) do
    sleep(0.05) until may_end
    done += 1
  end
  used = patiently { job.times.zero? }
  may_end = lock.free = true
  sleep(1.5) # enough for three more turns
  puts "#{title}: times used up #{used}, turns without the lock #{lock.refused}, runs #{done}, " \
       "still scheduled #{scheduler.jobs.include?(job)}"
  scheduler.shutdown
end

run('long job, overlap: false', {overlap: false}, long: true)
run('the lock comes later', {}, locked: true)
run('control, long job, overlap is allowed', {}, long: true)
run('control, short job, overlap: false', {overlap: false})
run('control, the lock is there', {})
PROGRAM

as_stated 'long job, overlap: false: times used up true, turns without the lock 0, runs 1, still scheduled false
the lock comes later: times used up true, turns without the lock 3, runs 0, still scheduled false
control, long job, overlap is allowed: times used up true, turns without the lock 0, runs 3, still scheduled false
control, short job, overlap: false: times used up true, turns without the lock 0, runs 3, still scheduled false
control, the lock is there: times used up true, turns without the lock 0, runs 3, still scheduled false' \
    "$(timeout 50 /usr/bin/ruby "$tmp/times.rb" 2>&1)"

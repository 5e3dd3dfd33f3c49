#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-clockwork 3.0.1 (Debian 12; Clockwork), Ruby 3.1.
# Expected: every(1.day, job, at: '09:00') is, as the README has it, the job of each day at nine.
# Really: a turn counts only if a whole period of 86,400 s has passed since the one before. From nine to nine over the
#   night in which clocks are put forward it is an hour less: the daily job is left out on that day, without a word. With
#   at: '00:00' it is left out at the midnight behind it.
# Seen: the lines at the end of this script. The clock is given to tick(), minute by minute, in the time of Berlin.
#   Controls: the time zone UTC; a period of 23 hours.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-clockwork '3.0.1-*'
debian tzdata '20*'
debian ruby '1:3.1*'

cat >"$tmp/spring.rb" <<'PROGRAM'
require "clockwork"
require "logger"

# The days on which a daily job runs, from two days before a change of the clocks to three days after it.
def run(title, zone, at, from, period: 86_400)
  ENV["TZ"] = zone
  manager = Clockwork::Manager.new
  manager.config[:logger] = Logger.new(File::NULL)
  days = []
  manager.every(period, "daily", at: at) {}
  manager.on(:before_run) { |_event, time| days << time.strftime("%d") }
  time = Time.local(*from)
  (6 * 24 * 60).times do |minute|
    manager.tick(time + 60 * minute)
  end
  puts "#{title} #{zone}, at #{at}: runs on #{days.join(' ')}"
end

run("spring in", "Europe/Berlin", "09:00", [2024, 3, 29])
run("spring in", "Europe/Berlin", "00:00", [2024, 3, 29])
run("control, autumn in", "Europe/Berlin", "09:00", [2024, 10, 25])
run("control, spring in", "UTC", "09:00", [2024, 3, 29])
run("control, a period of 23 hours in", "Europe/Berlin", "09:00", [2024, 3, 29], period: 82_800)
PROGRAM

as_stated 'spring in Europe/Berlin, at 09:00: runs on 29 30 01 02 03
spring in Europe/Berlin, at 00:00: runs on 29 30 31 02 03 04
control, autumn in Europe/Berlin, at 09:00: runs on 25 26 27 28 29 30
control, spring in UTC, at 09:00: runs on 29 30 31 01 02 03
control, a period of 23 hours in Europe/Berlin, at 09:00: runs on 29 30 31 01 02 03' "$(timeout 50 /usr/bin/ruby3.1 "$tmp/spring.rb" 2>&1)"

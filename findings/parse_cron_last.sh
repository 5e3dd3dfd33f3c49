#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-parse-cron 0.1.4 (Debian 12; CronParser), Ruby 3.1.
# Expected: the comment of last(now) promises the latest turn before that time: at 10:00:30 the last full hour
#   is 10:00:00.
# Really: the search begins at the minute before, and the seconds are left out: within the first minute after a turn that
#   turn has not been. A scheduler that compares last() with what it did finds nothing to do in that minute, and in a
#   job of each minute it never sees the present one.
# Seen: the lines at the end of this script. Controls: a minute later; next().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-parse-cron '0.1.4-*'
debian ruby '1:3.1*'

cat >"$tmp/last.rb" <<'PROGRAM'
require "cron_parser"

# The last turn by trying each second backwards.
def really(minute, now)
  now -= 1
  now -= 1 until now.sec == 0 && (minute == "*" || now.min == minute.to_i)
  now
end

def ask(title, minute, *clock)
  now = Time.utc(2024, 1, 2, *clock)
  told = CronParser.new("#{minute} * * * *", Utc).last(now)
  puts "#{title}, minute #{minute}, at #{now.strftime('%T')}: last #{told.strftime('%T')}, " \
       "really #{really(minute, now).strftime('%T')}"
end

module Utc
  def self.local(*parts) = Time.utc(*parts)
  def self.now = Time.now.utc
end

ask("in the minute of the turn", "0", 10, 0, 30)
ask("in the minute of the turn", "*", 10, 5, 59)
ask("in the minute of the turn", "30", 0, 30, 1)
ask("control, later", "0", 10, 1, 0)
ask("control, at the turn itself", "0", 10, 0, 0)
coming = CronParser.new("0 * * * *", Utc).next(Time.utc(2024, 1, 2, 9, 59, 30))
puts "control, next at 09:59:30: #{coming.strftime('%T')}"
PROGRAM

as_stated 'in the minute of the turn, minute 0, at 10:00:30: last 09:00:00, really 10:00:00
in the minute of the turn, minute *, at 10:05:59: last 10:04:00, really 10:05:00
in the minute of the turn, minute 30, at 00:30:01: last 23:30:00, really 00:30:00
control, later, minute 0, at 10:01:00: last 10:00:00, really 10:00:00
control, at the turn itself, minute 0, at 10:00:00: last 09:00:00, really 09:00:00
control, next at 09:59:30: 10:00:00' "$(timeout 20 /usr/bin/ruby3.1 "$tmp/last.rb" 2>&1)"

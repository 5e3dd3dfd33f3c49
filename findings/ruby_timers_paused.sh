#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-timers 4.1.1 (Debian 12), Ruby 3.1.
# Expected: a timer that was cancelled does not fire. reset() sets a timer to its full time again, also from its own block,
#   as one does who tries again later or prolongs a lease.
# Really: cancel() looks for the entry in the schedule, which pause() has taken out: a paused timer is not cancelled and
#   fires after resume(). A timer that fires once is cancelled after its block: what the block has set again is
#   gone, and the second try never comes.
# Seen: the lines at the end of this script; the time is passed to the group. Controls: cancelled before the pause; the
#   block makes a new timer.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-timers '4.1.1-*'
debian ruby '1:3.1*'

cat >"$tmp/paused.rb" <<'PROGRAM'
require 'timers'

def pause(title)
  group = Timers::Group.new
  fired = 0
  timer = group.after(5) { fired += 1 }
  yield group, timer
  group.fire(group.current_offset + 1000)
  puts "#{title}: fired #{fired} times"
end

pause('paused, cancelled, resumed') { |group, timer| group.pause; timer.cancel; group.resume }
pause('paused, all cancelled, resumed') { |group, timer| group.pause; group.cancel; group.resume }
pause('control, cancelled, paused, resumed') { |group, timer| timer.cancel; group.pause; group.resume }

def try_again(title)
  group = Timers::Group.new
  tries = 0
  timer = nil
  work = lambda { tries += 1; yield group, timer, work if tries < 3 }
  timer = group.after(5) { work.call }
  (1..10).each { |round| group.fire(group.current_offset + 1000 * round) }
  puts "#{title}: #{tries} of 3 tries"
end

try_again('the block resets its timer') { |group, timer, work| timer.reset }
try_again('control, the block makes a new one') { |group, timer, work| group.after(5) { work.call } }
PROGRAM

as_stated 'paused, cancelled, resumed: fired 1 times
paused, all cancelled, resumed: fired 1 times
control, cancelled, paused, resumed: fired 0 times
the block resets its timer: 1 of 3 tries
control, the block makes a new one: 3 of 3 tries' "$(/usr/bin/ruby "$tmp/paused.rb")"

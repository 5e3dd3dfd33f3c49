#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-lru-redux 1.1.0 (Debian 12; LruRedux::TTL::Cache), Ruby 3.1.
# Expected: the README says that a TTL cache evicts on every access what has outlived its time: with 10 s nothing is
#   served that was stored longer ago.
# Really: the items are in the order of their storing, and the search for those that have expired ends at the first one
#   that has not. It reckons with the time of day. When the clock was set back, by an hour for instance, an item from
#   before keeps all that is stored after it: what is stored now for 10 s is served for the whole hour.
# Seen: the lines at the end of this script; the clock is the program's own. Controls: nothing was stored before; the clock
#   is set forward.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-lru-redux '1.1.0-*'
debian ruby '1:3.1*'

cat >"$tmp/back.rb" <<'PROGRAM'
require 'lru_redux'

$now = 1_700_000_000.0
def Time.now = at($now)

def run(title, seconds, before)
  cache = LruRedux::TTL::Cache.new(100, 10)
  cache[:before] = 1 if before
  $now += seconds
  cache[:lease] = 1
  $now += 5
  early = cache.key?(:lease)
  $now += 1800
  later = cache.key?(:lease)
  $now += 3600
  puts "#{title}: stored for 10 s; there after 5 s: #{early}, after half an hour: #{later}, after an hour and a half: " \
       "#{cache.key?(:lease)}"
end

run('back by an hour', -3600, true)
run('control, back by an hour, nothing was stored before', -3600, false)
run('control, forward by an hour', 3600, true)
PROGRAM

as_stated 'back by an hour: stored for 10 s; there after 5 s: true, after half an hour: true, after an hour and a half: false
control, back by an hour, nothing was stored before: stored for 10 s; there after 5 s: true, after half an hour: false, after an hour and a half: false
control, forward by an hour: stored for 10 s; there after 5 s: true, after half an hour: false, after an hour and a half: false' \
    "$(/usr/bin/ruby "$tmp/back.rb")"

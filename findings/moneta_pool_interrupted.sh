#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-moneta 1.5.2 (Debian 12; Moneta::Pool), Ruby 3.1.
# Expected: the source says that with `max` the next check-out blocks until one of the other stores is checked in. When
#   a caller's own time-out (Timeout.timeout) ends its wait the store goes to the next caller.
# Really: the caller stays in the pool's queue. The store that is checked in is handed to it, nobody takes it, and it
#   never comes back: a pool of 1 is used up for good, and newcomers wait for ever beside a store that nobody uses. The
#   pool's own `timeout` takes its waiters out.
# Seen: the lines at the end of this script. Controls: the caller gives up by the pool's own time-out; nobody gives up.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-moneta '1.5.2-*'
debian ruby '1:3.1*'

cat >"$tmp/interrupted.rb" <<'PROGRAM'
require 'moneta'
require 'timeout'

# A store whose reads last until they are told to end.
class Slow < Moneta::Adapters::Memory
  BEGAN = Queue.new
  GO_ON = Queue.new

  def load(key, options = {})
    return 'value' unless key == 'slow'

    BEGAN << true
    GO_ON.pop
  end
end

# `within` is the caller's own time-out, `options` may hold the pool's.
def run(title, within, **options)
  pool = Moneta.build { use(:Pool, max: 1, **options) { adapter Slow.new } }
  holder = Thread.new { pool['slow'] }
  Slow::BEGAN.pop
  puts title
  waiter = Thread.new do
    Timeout.timeout(within) { pool['quick'] }
  rescue StandardError => error
    "gives up by #{error.class}"
  end
  sleep 1
  Slow::GO_ON << 'value'
  holder.join
  puts "  the caller that waits: #{waiter.value}"
  newcomer = Thread.new { pool['quick'] }
  puts "  a newcomer, when nobody uses the store: #{newcomer.join(1) ? 'served' : 'waits'}"
  newcomer.kill
  puts "  in the pool: stores #{pool.stats[:stores]}, free #{pool.stats[:available]}"
end

run('a caller gives up by its own time-out', 0.5)
run('control: by the time-out of the pool', nil, timeout: 0.5)
run('control: nobody gives up', nil)
PROGRAM

as_stated 'a caller gives up by its own time-out
  the caller that waits: gives up by Timeout::Error
  a newcomer, when nobody uses the store: waits
  in the pool: stores 1, free 0
control: by the time-out of the pool
  the caller that waits: gives up by Moneta::Pool::TimeoutError
  a newcomer, when nobody uses the store: served
  in the pool: stores 1, free 1
control: nobody gives up
  the caller that waits: value
  a newcomer, when nobody uses the store: served
  in the pool: stores 1, free 1' "$(timeout 50 /usr/bin/ruby "$tmp/interrupted.rb")"

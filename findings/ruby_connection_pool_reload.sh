#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-connection-pool 2.2.5 (Debian 12; ConnectionPool), Ruby 3.1.
# Expected: the README says that reload waits until all connections are back and closed. The pool then makes new ones, and a
#   pool of 2 lends 2.
# Really: reload returns at once. A connection that is lent at that moment is not passed to the block and no longer counted:
#   the pool makes a new one beside it. When the old one comes back it is not closed but lent again: a pool of 2 lends 4,
#   two of them from before the reload.
# Seen: the lines at the end of this script. Control: a reload while nothing is lent.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-connection-pool '2.2.5-*'
debian ruby '1:3.1*'

cat >"$tmp/reload.rb" <<'PROGRAM'
require "connection_pool"

# Two connections are made, and are lent or at rest while the pool is reloaded. Then as many threads as can have one each.
def run(title, lent)
  made = 0
  closed = []
  pool = ConnectionPool.new(size: 2, timeout: 1) { "connection #{made += 1}" }
  back = Queue.new
  holders = Array.new(2) do
    Thread.new do
      pool.with do
        back.pop
      end
    end
  end
  sleep 0.05 until made == 2
  unless lent
    2.times { back << true }
    holders.each(&:join)
  end
  pool.reload { |connection| closed << connection }
  begun = Queue.new
  stay = Queue.new
  taker = lambda do
    Thread.new do
      pool.with do |connection|
        begun << connection
        stay.pop
      end
    rescue ConnectionPool::TimeoutError
      begun << nil
    end
  end
  takers = Array.new(2) { taker.call }
  first = Array.new(2) { begun.pop }
  if lent
    2.times { back << true }
    holders.each(&:join)
  end
  takers += Array.new(3) { taker.call }
  lent_now = (first + Array.new(3) { begun.pop }).compact
  takers.size.times { stay << true }
  takers.each(&:join)
  old = lent_now & ["connection 1", "connection 2"]
  puts "#{title}: closed #{closed.size}, then #{lent_now.size} are lent at a time, of which #{old.size} from before"
end

run("a reload while two of two are lent", true)
run("control, while nothing is lent", false)
PROGRAM

as_stated 'a reload while two of two are lent: closed 0, then 4 are lent at a time, of which 2 from before
control, while nothing is lent: closed 2, then 2 are lent at a time, of which 0 from before' \
    "$(timeout 50 /usr/bin/ruby3.1 "$tmp/reload.rb" 2>&1)"

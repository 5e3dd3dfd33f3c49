#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-async-pool 0.3.12 (Debian 12; Async::Pool::Controller), Ruby 3.1.
# Expected: prune(retain) retires unused resources; its documentation says that `retain` is the minimum number of
#   resources to retain.
# Really: it looks at the number after each retirement, not before the first one. A pool that is at the minimum, or
#   below it, loses one connection with each call. A task that prunes now and then closes the connections that it is
#   told to keep, until none is left.
# Seen: the lines at the end of this script. Controls: a pool above the minimum; nothing is unused.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-async-pool '0.3.12-*'

cat >"$tmp/prune.rb" <<'PROGRAM'
require 'async'
require 'async/pool/controller'
require 'async/pool/resource'

# So many connections, of which some are in use, and the size of the pool after each call.
def run(title, connections, in_use, retain, calls)
  Async do
    pool = Async::Pool::Controller.new(Async::Pool::Resource)
    held = Array.new(connections) { pool.acquire }
    held.drop(in_use).each { |connection| pool.release(connection) }
    sizes = Array.new(calls) do
      pool.prune(retain)
      pool.size
    end
    puts "#{title}: #{pool.size.zero? ? 'none is left' : 'some are left'}, size #{connections}, then #{sizes.join(', ')}"
    held.first(in_use).each { |connection| pool.release(connection) }
  end
end

run('at the minimum, prune(3)', 3, 0, 3, 3)
run('below it, prune(10)', 3, 0, 10, 3)
run('one of 3 in use, prune(3)', 3, 1, 3, 2)
run('control: above it, prune(3)', 5, 0, 3, 1)
run('control: all in use, prune(3)', 3, 3, 3, 3)
PROGRAM

as_stated 'at the minimum, prune(3): none is left, size 3, then 2, 1, 0
below it, prune(10): none is left, size 3, then 2, 1, 0
one of 3 in use, prune(3): some are left, size 3, then 2, 1
control: above it, prune(3): some are left, size 5, then 3
control: all in use, prune(3): some are left, size 3, then 3, 3, 3' "$(timeout 50 /usr/bin/ruby "$tmp/prune.rb" 2>&1)"

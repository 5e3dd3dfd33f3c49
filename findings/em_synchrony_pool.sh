#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-em-synchrony 1.0.5 (Debian 12; EventMachine::Synchrony::ConnectionPool), Ruby 3.1.
# Expected: the README's example of a pool has two queries at once of one fiber on a pool of 2 (aquery, collected by
#   Multi). It says that others wait for the connections that are in use, so each comes back with its own answer
#   and the pool has 2 again at the end.
# Really: the pool remembers one connection for each fiber. The second query overwrites the first one's entry. So the
#   first answer gives back the connection of the other query, which still runs, and another fiber gets it. The
#   second answer finds no entry and puts a nil into the pool, which pool_status counts as a connection. The fiber
#   that takes the nil waits instead, and the pool has one place from then on.
# Seen: the lines at the end of this script. Control: each query in a fiber of its own.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby '1:3.1*'
debian ruby-em-synchrony '1.0.5-*'

cat >"$tmp/pool.rb" <<'PROGRAM'
require "em-synchrony"

# Answers each query after its seconds.
class Connection
  attr_reader :running

  def initialize
    @running = 0
  end

  def aquery(seconds)
    @running += 1
    answer = EventMachine::DefaultDeferrable.new
    EventMachine.add_timer(seconds) do
      @running -= 1
      answer.succeed
    end
    answer
  end
end

def in_fiber(&block)
  Fiber.new(&block).resume
end

def pool_of(size)
  EventMachine::Synchrony::ConnectionPool.new(size: size) { Connection.new }
end

def ask(pool)
  pool.execute(false) { |connection| puts "given out meanwhile: a connection with #{connection.running} running" }
end

# Three fibers want to work at the same time.
def count(pool)
  puts "all are answered: #{pool.pool_status[:available]} available"
  working = most = 0
  3.times do
    in_fiber do
      pool.execute(false) do
        most = [most, working += 1].max
        EventMachine::Synchrony.sleep(0.3)
        working -= 1
      end
    end
  end
  EventMachine::Synchrony.sleep(2)
  puts "three fibers work, at most #{most} at once"
end

EventMachine.synchrony do
  puts "two queries of one fiber"
  pool = pool_of(2)
  EventMachine.add_timer(1) { in_fiber { ask(pool) } }
  both = EventMachine::Synchrony::Multi.new
  both.add(:short, pool.aquery(0.5))
  both.add(:long, pool.aquery(2))
  both.perform
  count(pool)

  puts "control: a fiber for each"
  pool = pool_of(2)
  EventMachine.add_timer(1) { in_fiber { ask(pool) } }
  in_fiber { EventMachine::Synchrony.sync(pool.aquery(0.5)) }
  EventMachine::Synchrony.sync(pool.aquery(2))
  count(pool)
  EventMachine.stop
end
PROGRAM

as_stated 'two queries of one fiber
given out meanwhile: a connection with 1 running
all are answered: 2 available
three fibers work, at most 1 at once
control: a fiber for each
given out meanwhile: a connection with 0 running
all are answered: 2 available
three fibers work, at most 2 at once' "$(/usr/bin/ruby "$tmp/pool.rb")"

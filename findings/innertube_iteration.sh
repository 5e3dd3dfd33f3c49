#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-innertube 1.1.0 (Debian 12), Ruby 3.1.
# Expected: take() lends a free resource and makes a new one if there is none: it waits for nobody. each() and
#   delete_if() visit the resources one after the other and wait for those that are in use; the README says that they
#   are slow.
# Really: while they wait they hold the lock of the whole pool and give up another one. Who asks for a resource
#   meanwhile waits until the last one that was in use has come back, beside free resources, and none is made. A round
#   that expunges old connections stops a program for as long as one request lasts.
# Seen: the lines at the end of this script. Control: nobody iterates.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-innertube '1.1.0-*'

cat >"$tmp/iteration.rb" <<'PROGRAM'
require 'set'
require 'innertube'

# Two resources are in use. Somebody may iterate; then one asks for a resource, and the holders give theirs back.
def run(title, iterate)
  pool = Innertube::Pool.new(proc { Object.new }, proc { |_| })
  gates = [Queue.new, Queue.new]
  holders = gates.map do |gate|
    Thread.new { pool.take { gate.pop } }.tap { sleep 0.2 }
  end
  Thread.new { iterate.call(pool) } if iterate
  sleep 0.2
  newcomer = Thread.new { pool.take { } }
  state = -> { newcomer.join(0.7) ? 'served' : 'waits' }
  seen = ["both in use: #{state.call}"]
  gates.zip(holders, ['one is back', 'both are back']).each do |gate, holder, now|
    gate.push(nil)
    holder.join
    seen << "#{now}: #{state.call}"
  end
  puts "#{title}: a newcomer, #{seen.join(', ')}"
end

run('beside each()', ->(pool) { pool.each { |_| } })
run('beside delete_if()', ->(pool) { pool.delete_if { |_| false } })
run('control, nobody iterates', nil)
PROGRAM

as_stated 'beside each(): a newcomer, both in use: waits, one is back: waits, both are back: served
beside delete_if(): a newcomer, both in use: waits, one is back: waits, both are back: served
control, nobody iterates: a newcomer, both in use: served, one is back: served, both are back: served' \
    "$(timeout 50 /usr/bin/ruby "$tmp/iteration.rb")"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-moneta 1.5.2 (Debian 12; Moneta::Mutex), Ruby 3.1.
# Expected: Moneta::Mutex is a mutex for a whole store, synchronize() encloses a block. When two threads of one program
#   use the same object the second one waits, or is told that it must not; the lock of the first one stays.
# Really: the second one is told "Already locked", and its synchronize() then leaves in an `ensure` what it has not
#   entered: the entry in the store is deleted under the block of the first thread, and another program gets in. The
#   first thread learns of it at its own end, by "Not locked". Moneta::Semaphore shares the code.
# Seen: the lines at the end of this script. Controls: an object for each thread; the shared object is asked by lock()
#   and not by synchronize().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-moneta '1.5.2-*'
debian ruby '1:3.1*'

cat >"$tmp/shared.rb" <<'PROGRAM'
require 'moneta'

# How it ended, or that it has not ended after so many seconds.
def outcome(patience)
  ended = Queue.new
  thread = Thread.new do
    ended << begin
      yield
    rescue RuntimeError => error
      "told \"#{error.message}\""
    end
  end
  thread.join(patience) ? ended.pop : 'waits'
end

def run(title, shared, call)
  store = Moneta.new(:File, dir: File.join(ARGV[0], title.hash.to_s), threadsafe: true)
  first = Moneta::Mutex.new(store, 'mutex')
  second = shared ? first : Moneta::Mutex.new(store, 'mutex')
  elsewhere = Moneta::Mutex.new(store, 'mutex')
  entered = Queue.new
  go_on = Queue.new
  holder = Thread.new do
    outcome(5) do
      first.synchronize do
        entered << true
        go_on.pop
        'ends well'
      end
    end
  end
  entered.pop
  puts title
  puts "  another thread: #{outcome(0.5) { call == :lock ? second.lock : second.synchronize { 'gets in' } }}"
  puts "  another program, beside the first thread: #{elsewhere.try_lock ? 'gets in' : 'refused'}"
  go_on << true
  puts "  the first thread: #{holder.value}"
end

run('one object for two threads', true, :synchronize)
run('control: an object for each', false, :synchronize)
run('control: one object, by lock()', true, :lock)
PROGRAM

as_stated 'one object for two threads
  another thread: told "Already locked"
  another program, beside the first thread: gets in
  the first thread: told "Not locked"
control: an object for each
  another thread: waits
  another program, beside the first thread: refused
  the first thread: ends well
control: one object, by lock()
  another thread: told "Already locked"
  another program, beside the first thread: refused
  the first thread: ends well' "$(timeout 50 /usr/bin/ruby "$tmp/shared.rb" "$tmp")"

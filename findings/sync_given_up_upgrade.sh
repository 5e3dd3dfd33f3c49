#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-sync 0.5.0 (Debian 12; the gem `sync`, once a part of Ruby), Ruby 3.1.
# Expected: a lock with shared and exclusive modes and a counter. A reader whose wait for the exclusive mode ends by
#   Timeout.timeout reads on, and leaves by unlock.
# Really: its shared lock is gone, unlock tells it so, and its place in the queue of upgrades stays. When the other
#   reader leaves, the wake-up goes to the thread that gave up, and to nobody else: a writer that waits sleeps beside a
#   free lock. The thread counts as a reader from then on, whatever it does. After the next reader the lock never
#   becomes free again, and no writer gets in any more.
# Seen: the lines at the end of this script. Controls: the reader does not ask for more; the waiting writer gives up.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-sync '0.5.0-*'
debian ruby '1:3.1*'

cat >"$tmp/upgrade.rb" <<'PROGRAM'
require 'sync'
require 'timeout'

# A thread that does what it is told, and its answers.
class Caller
  def initialize(lock)
    @lock = lock
    @orders = Queue.new
    @answers = Queue.new
    Thread.new { loop { @answers << obey(*@orders.pop) } }
  end

  def tell(*order)
    @orders << order
    answer(1)
  end

  def answer(patience)
    Timeout.timeout(patience) { @answers.pop }
  rescue Timeout::Error
    'waits'
  end

  private

  def obey(what, mode, patience = nil)
    Timeout.timeout(patience) { @lock.public_send(what, mode) }
    'yes'
  rescue Timeout::Error
    'gives up'
  rescue Sync_m::Err::UnknownLocker
    'told that it holds nothing'
  end
end

def run(title, reader_asks, writer_asks)
  lock = Sync.new
  reader, other, writer, newcomer = Array.new(4) { Caller.new(lock) }
  puts title
  reader.tell(:lock, :SH)
  other.tell(:lock, :SH)
  puts "  a reader asks for the exclusive mode: #{reader.tell(:lock, :EX, 0.3)}" if reader_asks
  puts "  a writer asks: #{writer.tell(:lock, :EX, writer_asks)}"
  puts "  the reader unlocks: #{reader.tell(:unlock, :SH)}"
  puts "  the other reader unlocks: #{other.tell(:unlock, :SH)}"
  if writer_asks.nil?
    writes = writer.answer(1)
    puts "  the writer: #{writes}"
    writer.tell(:unlock, :EX) if writes == 'yes'
  end
  puts "  a newcomer reads: #{newcomer.tell(:lock, :SH)}"
  newcomer.tell(:unlock, :SH)
  puts "  when it has left: readers #{lock.sync_sh_locker.size}, who writes: #{newcomer.tell(:lock, :EX)}"
end

run('a reader gives up its wait for the exclusive mode', true, nil)
run('control: it does not ask', false, nil)
run('control: it does not ask, the writer gives up', false, 0.3)
PROGRAM

as_stated 'a reader gives up its wait for the exclusive mode
  a reader asks for the exclusive mode: gives up
  a writer asks: waits
  the reader unlocks: told that it holds nothing
  the other reader unlocks: yes
  the writer: waits
  a newcomer reads: yes
  when it has left: readers 1, who writes: waits
control: it does not ask
  a writer asks: waits
  the reader unlocks: yes
  the other reader unlocks: yes
  the writer: yes
  a newcomer reads: yes
  when it has left: readers 0, who writes: yes
control: it does not ask, the writer gives up
  a writer asks: gives up
  the reader unlocks: yes
  the other reader unlocks: yes
  a newcomer reads: yes
  when it has left: readers 0, who writes: yes' "$(timeout 50 /usr/bin/ruby "$tmp/upgrade.rb")"

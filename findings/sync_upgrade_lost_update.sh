#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-sync 0.5.0 (Debian 12; the gem `sync`, once a part of Ruby), Ruby 3.1.
# Expected: the source calls it a two-phase lock with a counter, and has a queue for those who hold it shared and ask
#   for it exclusively. What a reader has read is still so when it is told yes, or one of two who ask is refused.
# Really: a reader that asks for the exclusive mode gives up its shared one for the time of the wait. Of two readers
#   that ask, the second one is alone by then and gets in, the first one gets in behind it, and both are told yes: what
#   the second one wrote is overwritten. No error, no dead end.
# Seen: the lines at the end of this script. Controls: both ask for the exclusive mode at once, before they read; they
#   read and write one after the other.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-sync '0.5.0-*'
debian ruby '1:3.1*'

cat >"$tmp/update.rb" <<'PROGRAM'
require 'sync'

# Each caller adds one, half a second after the one before, and takes 1.2 s to compute.
def run(title, first_mode, pause)
  lock = Sync.new
  balance = 0
  granted = Queue.new
  threads = Array.new(2) do |index|
    Thread.new do
      sleep pause * index
      lock.synchronize(first_mode) do
        read = balance
        sleep 1.2
        lock.synchronize(:EX) do
          granted << index + 1
          balance = read + 1
        end
      end
    end
  end
  threads.each(&:join)
  puts "#{title}: told yes #{Array.new(2) { granted.pop }.sort.join(' and ')}, 0 + 1 + 1 = #{balance}"
end

[
  ['both read, then write', :SH, 0.5],
  ['control, exclusive from the beginning', :EX, 0.5],
  ['control, one after the other', :SH, 2]
].map { |one| Thread.new { run(*one) } }.each(&:join)
PROGRAM

as_stated 'both read, then write: told yes 1 and 2, 0 + 1 + 1 = 1
control, exclusive from the beginning: told yes 1 and 2, 0 + 1 + 1 = 2
control, one after the other: told yes 1 and 2, 0 + 1 + 1 = 2' "$(timeout 50 /usr/bin/ruby "$tmp/update.rb")"

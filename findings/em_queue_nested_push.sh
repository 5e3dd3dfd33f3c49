#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-eventmachine 1.3~pre20220315 (Debian 12; EM::Queue), Ruby 3.1.
# Expected: EM::Queue is a queue between parts of a program: each item that is pushed is given to one who pops.
# Really: push() serves those who wait from a list of its own, and a push() within such a callback replaces that list
#   by its own items. If two wait, two items are pushed at once, and the first one puts a job back, the second of the
#   two items is gone: nobody gets it, and size says 0.
# Seen: the lines at the end of this script. Controls: the two items are pushed one by one; one caller waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-eventmachine '1.3~pre20220315-*'
debian ruby '1:3.1*'

cat >"$tmp/nested.rb" <<'PROGRAM'
require 'eventmachine'

# Callers that wait before anything is there. The first one puts its job back once, as a retry.
def run(title, waiting, batches)
  got = []
  EM.run do
    queue = EM::Queue.new
    retried = false
    take = lambda do |item|
      got << item
      unless retried
        retried = true
        queue.push("#{item} again")
      end
    end
    waiting.times { queue.pop(&take) }
    batches.each { |items| queue.push(*items) }
    # Whatever is still there is taken now.
    left = queue.size
    left.times { queue.pop { |item| got << item } }
    EM.next_tick do
      pushed = batches.sum(&:size) + 1
      puts "#{title}: #{pushed} pushed, taken: #{got.join(', ')}; size #{queue.size}"
      EM.stop
    end
  end
end

run('two at once, two wait', 2, [%w[first second]])
run('five at once, two wait', 2, [%w[first second third fourth fifth]])
run('control, one by one', 2, [%w[first], %w[second]])
run('control, one waits', 1, [%w[first second]])
PROGRAM

as_stated 'two at once, two wait: 3 pushed, taken: first, first again; size 0
five at once, two wait: 6 pushed, taken: first, first again; size 0
control, one by one: 3 pushed, taken: first, first again, second; size 0
control, one waits: 3 pushed, taken: first, second, first again; size 0' "$(/usr/bin/ruby "$tmp/nested.rb")"

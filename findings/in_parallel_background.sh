#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-in-parallel 0.1.17 (Debian 12), Ruby 3.1.
# Expected: the documentation says that run_in_background forks a process for each method of the block and returns, and
#   that by default nobody cares for their results. What is run later waits for its own processes.
# Really: the last process is let go, all others stay in the list of those to wait for. The next each_in_parallel, also
#   in another part of the program, waits for them, and gives their results as the first of its own: of two items
#   there are three results.
# Seen: the lines at the end of this script. Controls: the next call after that; one method in the background.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-in-parallel '0.1.17-*'
debian ruby '1:3.1*'

cat >"$tmp/background.rb" <<'PROGRAM'
require 'stringio'
require 'in_parallel'
include InParallel

def slow
  sleep 3
  'result of the background'
end

def quick
  'quick'
end

def run(title)
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  results = [1, 2].each_in_parallel { |number| number * 10 }
  waited = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began > 2
  warn "#{title}: 1 and 2, times 10: #{results.inspect}, #{waited ? 'after the background' : 'at once'}"
end

run_in_background do
  slow
  quick
end
run('two in the background')
run('once more')
run_in_background { slow }
run('control, one')
PROGRAM

# The library writes to the standard output what it does.
cd "$tmp"
as_stated 'two in the background: 1 and 2, times 10: ["result of the background", 10, 20], after the background
once more: 1 and 2, times 10: [10, 20], at once
control, one: 1 and 2, times 10: [10, 20], at once' "$(timeout 50 /usr/bin/ruby background.rb 2>&1 >/dev/null)"

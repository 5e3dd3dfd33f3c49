#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby3.1 (Debian 12; Rinda::TupleSpace of its standard library).
# Expected: take(template, 1) waits for one second and raises RequestExpiredError when no tuple has come; the
#   documentation says that the period of the space (60 s) is for looking for dead tuples.
# Really: the same look ends the waits. A wait of one second ends up to a period late: up to a minute in a space that is
#   made without arguments. A tuple that comes in between does not wake the one who waits, and is not given to it.
# Seen: the lines at the end of this script, with a period of 5 s. Controls: a period of 0.2 s; the tuple comes in time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby3.1 '3.1.*'

cat >"$tmp/late.rb" <<'PROGRAM'
require 'rinda/tuplespace'

# `arrives`: the second in which a tuple is written.
def run(title, period, arrives)
  space = Rinda::TupleSpace.new(period)
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  writer = Thread.new do
    sleep arrives
    space.write(['job'])
  end
  answer = begin
    space.take(['job'], 1)
    'has it'
  rescue Rinda::RequestExpiredError
    'told no'
  end
  late = Process.clock_gettime(Process::CLOCK_MONOTONIC) - began > 3.5
  writer.join
  "#{title}: #{answer}#{late ? ' after more than 3.5 s' : ' in time'}, left #{space.read_all(['job']).size}"
end

[
  ['a tuple after 2 s, looks every 5 s', 5, 2],
  ['control, looks every 0.2 s', 0.2, 2],
  ['control, a tuple after 0.3 s, looks every 5 s', 5, 0.3]
].map { |one| Thread.new { run(*one) } }.each { |thread| puts thread.value }
PROGRAM

as_stated 'a tuple after 2 s, looks every 5 s: told no after more than 3.5 s, left 1
control, looks every 0.2 s: told no in time, left 1
control, a tuple after 0.3 s, looks every 5 s: has it in time, left 0' "$(timeout 50 /usr/bin/ruby3.1 "$tmp/late.rb")"

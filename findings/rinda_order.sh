#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby3.1 (Debian 12; Rinda::TupleSpace of its standard library).
# Expected: a space of tuples promises no order; as a queue of jobs it takes one after the other, in some order that is
#   the same for all.
# Really: it depends on the class of the first element. Tuples that begin with a symbol have a drawer of their own, from
#   which the youngest is taken first: while new jobs come the oldest one is never done. Those that begin with a
#   string or a number are taken in the order in which they came. read() and take() follow the same rule.
# Seen: the lines at the end of this script. Control: the same jobs with a string in front.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby3.1 '3.1.*'

cat >"$tmp/order.rb" <<'PROGRAM'
require 'rinda/tuplespace'

def run(title, head)
  space = Rinda::TupleSpace.new
  (1..3).each { |number| space.write([head, number]) }
  taken = []
  (4..9).each do |number|
    space.write([head, number])
    taken << space.take([head, nil]).last
  end
  left = space.read_all([head, nil]).map(&:last).sort
  puts "#{title}: taken #{taken.join(' ')}, left #{left.join(' ')}"
end

puts 'three jobs wait, then six times one comes and one is taken'
run('[:job, number]', :job)
run('control, ["job", number]', 'job')
run('control, [0, number]', 0)
PROGRAM

as_stated 'three jobs wait, then six times one comes and one is taken
[:job, number]: taken 4 5 6 7 8 9, left 1 2 3
control, ["job", number]: taken 1 2 3 4 5 6, left 7 8 9
control, [0, number]: taken 1 2 3 4 5 6, left 7 8 9' "$(timeout 50 /usr/bin/ruby3.1 "$tmp/order.rb")"

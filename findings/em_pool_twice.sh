#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-eventmachine 1.3~pre20220315 (Debian 12; EM::Pool), Ruby 3.1.
# Expected: a resource of an EM::Pool is used by one piece of work at a time; work that raises an error, as the
#   comment on process says, gives it back.
# Really: the resource goes to the next waiter within the call in which the work before it is done. If that waiter
#   raises an error, both give the resource back: the pool of one resource has it twice, and lends it to two.
# Seen: the lines at the end of this script. Controls: the work before it takes a turn of the loop; nobody raises.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby-eventmachine '1.3~pre20220315-*'
debian ruby '1:3.1*'

cat >"$tmp/twice.rb" <<'PROGRAM'
require 'eventmachine'

def done_at_once
  EM::Completion.new.tap(&:succeed)
end

def done_later(seconds)
  EM::Completion.new.tap { |completion| EM.add_timer(seconds) { completion.succeed } }
end

def run(title, second, third)
  working = most = 0
  EM.run do
    EM.error_handler { |error| puts "#{title}: told #{error.message}" }
    pool = EM::Pool.new
    pool.add('connection')
    pool.perform { done_later(0.05) }
    pool.perform { second.call }
    pool.perform { third.call }
    EM.add_timer(0.2) do
      # Everybody has left. Three new ones count how many work at a time.
      3.times do
        pool.perform do
          most = [most, working += 1].max
          done_later(0.1).tap { |completion| completion.callback { working -= 1 } }
        end
      end
    end
    EM.add_timer(0.8) { EM.stop }
  end
  puts "#{title}: of one resource #{most} lent at a time"
end

fails = -> { raise 'the work failed' }
run('done at once, then a failure', -> { done_at_once }, fails)
run('control, done later, then a failure', -> { done_later(0.02) }, fails)
run('control, no failure', -> { done_at_once }, -> { done_at_once })
PROGRAM

as_stated 'done at once, then a failure: told the work failed
done at once, then a failure: of one resource 2 lent at a time
control, done later, then a failure: told the work failed
control, done later, then a failure: of one resource 1 lent at a time
control, no failure: of one resource 1 lent at a time' "$(/usr/bin/ruby "$tmp/twice.rb")"

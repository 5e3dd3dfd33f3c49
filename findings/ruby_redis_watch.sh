#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-redis 4.8.0 with redis-server 7.0 (Debian 12), Ruby 3.1.
# Expected: watch() decides whether the transaction in its block is executed: if somebody else has changed the key it is not,
#   and multi() gives nil. If the connection is lost in between, with it what was watched, the caller is told.
# Really: the client connects again without a word, once by default, and does not watch again. The transaction is executed
#   on the new connection, over what the other one has stored in the meantime: 10 is read, 20 is stored, 11 is written and
#   the answer is OK. An administrator who ends connections is enough, or a server that ends idle ones while the caller
#   computes.
# Seen: the lines at the end of this script. Controls: the connection stays; reconnect_attempts: 0.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
debian ruby-redis '4.8.0-*'
debian ruby '1:3.1*'

background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/watch.rb" <<'PROGRAM'
require "redis"

# Adds 1 to a number that somebody else sets to 20 in the meantime.
def run(title, **options)
  mine = Redis.new(path: ARGV[0], **options)
  Redis.new(path: ARGV[0]).set("number", 10)
  told = mine.watch("number") do
    number = mine.get("number").to_i
    id = mine.call([:client, :id])
    other = Redis.new(path: ARGV[0])
    yield other, id
    other.set("number", 20)
    mine.multi { |transaction| transaction.set("number", number + 1) }
  end
  told = told.inspect
rescue Redis::BaseConnectionError
  told = "an error of the connection"
ensure
  puts "#{title}: told #{told}, the number is #{Redis.new(path: ARGV[0]).get('number')}"
end

run("the connection is ended by an administrator") { |other, id| other.call([:client, :kill, :id, id]) }
run("the connection is idle for too long") do |other, _id|
  other.call([:config, :set, "timeout", 1])
  sleep 5
  other.call([:config, :set, "timeout", 0])
end
run("control, the connection stays") {}
run("control, no reconnection", reconnect_attempts: 0) { |other, id| other.call([:client, :kill, :id, id]) }
PROGRAM

as_stated 'the connection is ended by an administrator: told ["OK"], the number is 11
the connection is idle for too long: told ["OK"], the number is 11
control, the connection stays: told nil, the number is 20
control, no reconnection: told an error of the connection, the number is 20' \
    "$(timeout 50 /usr/bin/ruby3.1 "$tmp/watch.rb" "$tmp/redis" 2>&1)"

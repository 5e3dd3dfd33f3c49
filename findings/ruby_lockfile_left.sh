#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ruby-lockfile 2.1.3 (Debian 12), Ruby 3.1.
# Expected: the README says of the option dont_clean, whose default is false, that a finalizer cleans up after lock
#   files unless it is set. So a program that takes the lock without a block and ends leaves no lock file behind.
# Really: the finalizer is a lambda without parameters. Ruby calls it with the object's number, so it fails before it
#   does anything: a warning as the program ends, whose exit code stays 0. The lock stays until somebody finds it older
#   than max_age (an hour), and that one waits for another half an hour (suspend) before it goes on. A caller without
#   retries is refused until then. A job that ends well keeps the next one out for an hour, and the option that was to
#   prevent the cleaning makes no difference.
# Seen: the lines at the end of this script. Controls: the form with a block and unlock().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian ruby '1:3.1*'
debian ruby-lockfile '2.1.3-*'

cat >"$tmp/hold.rb" <<'PROGRAM'
require "lockfile"

# Takes the lock in a way of its own, and ends as programs do.
path, way = ARGV
case way
when "block" then Lockfile.new(path, retries: 0).lock { nil }
when "unlock"
  lock = Lockfile.new(path, retries: 0)
  lock.lock
  lock.unlock
else Lockfile.new(path, retries: 0, dont_clean: way == "dont_clean").lock
end
PROGRAM

cat >"$tmp/ask.rb" <<'PROGRAM'
require "lockfile"

begin
  lock = Lockfile.new(ARGV[0], retries: 0)
  lock.lock
  lock.unlock
  puts "the next one gets in"
rescue Lockfile::MaxTriesLockError
  puts "the next one is refused"
end
PROGRAM

# Ends as a program, then somebody else asks.
run() {
    local code=0 warned=""
    /usr/bin/ruby "$tmp/hold.rb" "$tmp/$1.lock" "$1" 2>"$tmp/warnings" || code=$?
    grep -q 'Exception in finalizer' "$tmp/warnings" && warned=", its finalizer fails"
    echo "$2: ends with $code$warned, $(/usr/bin/ruby "$tmp/ask.rb" "$tmp/$1.lock" 2>/dev/null)"
}

as_stated 'no block, the finalizer is to clean up: ends with 0, its finalizer fails, the next one is refused
no block, no finalizer: ends with 0, the next one is refused
control, block: ends with 0, the next one gets in
control, unlock: ends with 0, the next one gets in' "$(
    run clean "no block, the finalizer is to clean up"
    run dont_clean "no block, no finalizer"
    run block "control, block"
    run unlock "control, unlock"
)"

# SPDX-License-Identifier: Apache-2.0

# A lock in Ruby, by the gem redis: SET NX PX, and scripts that compare before they delete or extend.
# `--release-anybody`: the release deletes whoever's key it is.
require "redis"
require "securerandom"
require_relative "lockkeeper_wire"

TEN_SECONDS = 10_000
COMPARE_AND = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call(%s) else return 0 end"
DELETE = format(COMPARE_AND, "'DEL', KEYS[1]")
EXTEND = format(COMPARE_AND, "'PEXPIRE', KEYS[1], #{TEN_SECONDS}")
releases_anybody = ARGV.include?("--release-anybody")

LockkeeperWire.serve do |key|
  # No request is sent again: it could find the lock's own key. No time-outs, as in redis-py.
  redis = Redis.new(url: ENV.fetch("REDIS_URL"), reconnect_attempts: 0, timeout: 0)
  token = SecureRandom.hex(16)
  {
    acquire: -> { redis.set(key, token, nx: true, px: TEN_SECONDS) },
    release: lambda {
      next redis.del(key) && true if releases_anybody
      redis.eval(DELETE, keys: [key], argv: [token]) == 1
    },
    renew: -> { redis.eval(EXTEND, keys: [key], argv: [token]) == 1 },
    close: -> { redis.close }
  }
end

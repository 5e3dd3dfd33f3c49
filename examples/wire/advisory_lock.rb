# SPDX-License-Identifier: Apache-2.0

# PostgreSQL's advisory locks of sessions, by Ruby's pg: ARGV[0] says how they are used.
#
#   session    one connection for each lock, kept while it is held
#   waits      the same, and whoever finds it held waits at the server
#   pooled     broken: the connection that has locked goes back to its pool, and another one unlocks,
#              in vain: the lock stays with the first
require "pg"
require "zlib"
require_relative "lockkeeper_wire"

class SessionLock
  def initialize(key, function = "pg_try_advisory_lock")
    @number = Zlib.crc32(key) >> 1
    @function = function
  end

  def acquire
    @connection ||= PG.connect
    ask(@connection, @function) != "f" # pg_advisory_lock returns nothing
  end

  def release
    ask(@connection, "pg_advisory_unlock") == "t"
  end

  def close
    @connection&.close
  end

  private

  def ask(connection, function)
    connection.exec("SELECT #{function}(#{@number})").getvalue(0, 0)
  end
end

class PooledLock < SessionLock
  def acquire
    @all ||= []
    @pool ||= []
    connection = take
    granted = ask(connection, @function) == "t"
    @pool.push(connection)
    @work = take if granted # what the lock protects is done with a connection, too
    granted
  end

  def release
    connection = take
    ask(connection, "pg_advisory_unlock")
    @pool.push(connection, @work)
    true
  end

  def close
    @all&.each(&:close)
  end

  private

  def take
    @pool.pop || PG.connect.tap { |connection| @all.push(connection) }
  end
end

LOCKS = {
  "session" => ->(key) { SessionLock.new(key) },
  "waits" => ->(key) { SessionLock.new(key, "pg_advisory_lock") },
  "pooled" => ->(key) { PooledLock.new(key) }
}.freeze
make = LOCKS.fetch(ARGV[0])

LockkeeperWire.serve do |key|
  lock = make.call(key)
  {acquire: lock.method(:acquire), release: lock.method(:release), close: lock.method(:close)}
end

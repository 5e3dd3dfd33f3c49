# SPDX-License-Identifier: Apache-2.0

# Locks of a Rails program on PostgreSQL, by ActiveRecord and its own connection pool: ARGV[0] says which.
#
#   transactional  a lock of the transaction around a block, by the statements of with_transactional_lock
#   pooled         broken: a lock of the session, whose connection goes back to the pool while the lock is held
#
# An acquire begins a block, a release ends it.
begin
  require "active_record"
  require "pg"
rescue LoadError => error
  abort "not installed: #{error.path} (ruby-activerecord, ruby-pg); see examples/wire/libraries/README.md"
end
require "digest"
require_relative "../lockkeeper_wire"

KIND = ARGV.fetch(0, "transactional")
Base = ActiveRecord::Base
Abandoned = Class.new(StandardError)

def statement(function, key)
  "SELECT #{function}(#{Digest::SHA256.digest(key)[0, 8].unpack1("q")})"
end

class Block
  def initialize(key)
    @key = key
  end

  def begin
    @fiber = Fiber.new do
      Base.transaction do
        Base.connection.execute(statement("pg_advisory_xact_lock", @key))
        Fiber.yield(true)
      end
      true
    end
    @fiber.resume
  end

  def end
    @fiber.resume
  end

  # ActiveRecord holds a monitor of the fiber while the block runs: who disconnects before the block's end waits for ever.
  def close
    @fiber.raise(Abandoned) if @fiber&.alive?
  rescue Abandoned, ActiveRecord::ActiveRecordError
    nil
  end
end

# Each statement by a connection that the pool gives, as without a block.
class Pooled
  def initialize(key)
    @key = key
  end

  def begin
    ask("pg_try_advisory_lock")
  end

  def end
    work = Base.connection_pool.checkout # somebody else's
    ask("pg_advisory_unlock")
  ensure
    Base.connection_pool.checkin(work) if work
  end

  def close
  end

  private

  def ask(function)
    Base.connection_pool.with_connection { |connection| connection.select_value(statement(function, @key)) }
  end
end

# A Rails program has connected before it begins to work; libpq reads the address from its variables. Nobody is to end
# connections that are idle: that is a thread that wakes each minute.
start = lambda do
  Base.establish_connection(adapter: "postgresql", pool: 3, reaping_frequency: nil)
  Base.connection
  Base.clear_active_connections! if KIND == "pooled"
end

LockkeeperWire.serve(start: start) do |key|
  block = (KIND == "pooled" ? Pooled : Block).new(key)
  {
    acquire: -> { block.begin },
    release: -> { block.end },
    close: -> { block.close; Base.connection_pool.disconnect! }
  }
end

# SPDX-License-Identifier: Apache-2.0

# Locks of a Rails program on PostgreSQL or MariaDB, by ActiveRecord and its own connection pool: ARGV[0] says which.
#
#   transactional  a lock of the transaction around a block, by the statements of with_transactional_lock
#   outside        broken: the same statement, but no transaction around the block
#   pooled         broken: a lock of the session, whose connection goes back to the pool while the lock is held (PostgreSQL)
#
# An acquire begins a block, a release ends it.
begin
  require "active_record"
  require ENV.key?("MYSQL_HOST") ? "mysql2" : "pg"
rescue LoadError => error
  abort "not installed: #{error.path} (ruby-activerecord, ruby-pg, ruby-mysql2); see examples/wire/libraries/README.md"
end
require "digest"
require_relative "../lockkeeper_wire"

KIND = ARGV.fetch(0, "transactional")
ON_MARIADB = ENV.key?("MYSQL_HOST")
TABLE = "transactional_advisory_locks"
Base = ActiveRecord::Base
Abandoned = Class.new(StandardError)

def id_of(key)
  Digest::SHA256.digest(key)[0, 8].unpack1("q")
end

def statement(function, key)
  "SELECT #{function}(#{id_of(key)})"
end

def transactional_statement(key)
  return statement("pg_advisory_xact_lock", key) unless ON_MARIADB
  "INSERT INTO #{TABLE} (lock_id) VALUES (#{id_of(key)}) ON DUPLICATE KEY UPDATE lock_id = lock_id"
end

class Block
  def initialize(key)
    @key = key
  end

  def begin
    @fiber = Fiber.new do
      around_block do
        Base.connection.execute(transactional_statement(@key))
        Fiber.yield(true)
      end
      true
    rescue ActiveRecord::LockWaitTimeout
      false
    end
    @fiber.resume
  end

  def end
    @fiber.resume
  end

  def around_block(&block)
    KIND == "outside" ? block.call : Base.transaction(&block)
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

# Libpq reads the address from its variables. Nobody is to end connections that are idle: that is a thread that wakes
# each minute.
def connect
  settings = {adapter: "postgresql"}
  if ON_MARIADB
    settings = {adapter: "mysql2", host: ENV["MYSQL_HOST"], port: Integer(ENV["MYSQL_PORT"]), username: ENV["MYSQL_USER"],
                database: ENV["MYSQL_DATABASE"]}
  end
  Base.establish_connection(**settings, pool: 3, reaping_frequency: nil)
  Base.connection
end

# A Rails program has connected before it begins to work.
start = lambda do
  connect
  Base.clear_active_connections! if KIND == "pooled"
end

prepare = lambda do
  Base.connection.execute("CREATE TABLE #{TABLE} (lock_id BIGINT NOT NULL, UNIQUE INDEX (lock_id)) ENGINE=InnoDB")
  Base.connection_pool.disconnect!
end

LockkeeperWire.serve(start: start, prepare: ON_MARIADB ? prepare : nil) do |key|
  block = (KIND == "pooled" ? Pooled : Block).new(key)
  {
    acquire: -> { block.begin },
    release: -> { block.end },
    close: -> { block.close; Base.connection_pool.disconnect! }
  }
end

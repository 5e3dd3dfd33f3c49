# SPDX-License-Identifier: Apache-2.0

# A job of sidekiq-cron, each minute: a caller is a poller that looks at the job. Acquire: this poller has
# enqueued it.
gem "redis"
require "sidekiq"
require "sidekiq-cron"
require_relative "../../wire/lockkeeper_wire"

Sidekiq.logger.level = Logger::FATAL

def connect
  Sidekiq.redis = {url: ENV.fetch("REDIS_URL"), size: 1, reconnect_attempts: 0, timeout: 3_600}
end

prepare = lambda do
  connect
  Sidekiq::Cron::Job.new(name: "db", cron: "* * * * *", class: "Work", queue: "jobs").save
end

LockkeeperWire.serve(prepare: prepare) do |key|
  connect
  {
    acquire: -> { Sidekiq::Cron::Job.find(key).test_and_enque_for_time!(Time.now.utc) ? true : false },
    close: -> { Sidekiq.redis_pool.shutdown(&:close) }
  }
end

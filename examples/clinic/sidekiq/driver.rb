# SPDX-License-Identifier: Apache-2.0

# The poller of Sidekiq, with one job that is due: a caller takes due jobs from the schedule and pushes them to
# their queue. Acquire: afterwards the queue has the job. Release: one script puts the job back into the schedule.
require "sidekiq"
require "sidekiq/scheduled"
require_relative "../../wire/lockkeeper_wire"

Sidekiq.logger.level = Logger::FATAL
BACK = "local job = redis.call('RPOP', KEYS[1]) if job then redis.call('ZADD', KEYS[2], 0, job) return 1 end return 0"
JOB = Sidekiq.dump_json({"class" => "Work", "args" => [], "jid" => "1", "queue" => "db", "retry" => true})

def connect
  Sidekiq.redis = {url: ENV.fetch("REDIS_URL"), size: 1, reconnect_attempts: 0, timeout: 3_600}
end

prepare = lambda do
  connect
  Sidekiq.redis { |redis| redis.zadd("schedule", 0, JOB) }
end

LockkeeperWire.serve(prepare: prepare) do |key|
  connect
  poller = Sidekiq::Scheduled::Enq.new
  {
    acquire: lambda {
      poller.enqueue_jobs(["schedule"])
      Sidekiq.redis { |redis| redis.llen("queue:#{key}") } > 0
    },
    release: -> { Sidekiq.redis { |redis| redis.eval(BACK, keys: ["queue:#{key}", "schedule"]) } == 1 },
    close: -> { Sidekiq.redis_pool.shutdown(&:close) }
  }
end

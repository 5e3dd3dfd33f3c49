# SPDX-License-Identifier: Apache-2.0

# A poller is killed between taking a job that is due and pushing it to its queue; the next poller looks again. Exit
# code 1: the job is nowhere. The child kills itself where the poller would push. It starts a redis-server.
require "tmpdir"
require "sidekiq"
require "sidekiq/scheduled"

PORT = 17_973
Sidekiq.logger.level = Logger::FATAL

def connect
  Sidekiq.redis = {url: "redis://127.0.0.1:#{PORT}", size: 1, reconnect_attempts: 100, reconnect_delay: 0.05}
end

lost = false
Dir.mktmpdir do |folder|
  server = spawn("redis-server", "--port", PORT.to_s, "--save", "", "--dir", folder, out: File::NULL)
  begin
    connect
    job = {"class" => "Work", "args" => [], "jid" => "1", "queue" => "jobs"}
    Sidekiq.redis { |redis| redis.zadd("schedule", 0, Sidekiq.dump_json(job)) }
    child = fork do
      connect
      Sidekiq::Client.define_singleton_method(:push) { |_| Process.kill("KILL", Process.pid) }
      Sidekiq::Scheduled::Enq.new.enqueue_jobs
    end
    Process.wait(child)
    Sidekiq::Scheduled::Enq.new.enqueue_jobs
    lost = Sidekiq.redis { |redis| redis.zcard("schedule").zero? && redis.llen("queue:jobs").zero? }
  ensure
    Process.kill("TERM", server)
    Process.wait(server)
  end
end
puts lost ? "the job is gone" : "the job is still there"
exit lost ? 1 : 0

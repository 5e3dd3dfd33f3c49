# SPDX-License-Identifier: Apache-2.0

# Puts a lock's own Ruby client under `lockkeeper validate --wire` (docs/howto/test_unmodified_clients.md).
#
#   require_relative "lockkeeper_wire"
#   LockkeeperWire.serve { |key| {acquire: -> { ... }, release: -> { ... }, close: -> { ... }} }
#   LockkeeperWire.serve(prepare: -> { ... }, start: -> { ... }) { |key| ... }
#
# `prepare` is called once, on an empty server: what it makes is there whenever a run begins.
# `start` is called in each fresh process, before a run: what it asks the server for is no choice of the search. No
# process of a driver with `start` is kept: what it asks for would count as left over from the run before.
# The block makes a fresh client and returns its operations by name. An operation that returns false
# is refused, for a release or a renewal: lost. A number is the moment, as Time.now.to_f has it,
# until which the lock is held; {until:, for:, token:} says more, `for` in seconds from now on. A
# release that does not say whether it was in time returns "done". The block's second argument is
# called, at any time, when a watchdog sees that the lock is lost. An operation with a number in the
# script is given it where it takes an argument. An exception is an error. `close` ends the client's
# connections: it is called before the next run, because Ruby's garbage collector closes them at any time.

class LockkeeperWire
  def self.serve(prepare: nil, start: nil, &setup)
    new(setup, prepare, start).run
  end

  def initialize(setup, prepare, start)
    @setup = setup
    @prepare = prepare
    @start = start
    @locks = {}
    # What the client prints is not an answer.
    @out = $stdout.dup
    @out.sync = true
    $stdout.reopen($stderr)
  end

  def run
    say("ready#{" reset" unless @start} fork#{" prepare" if @prepare}")
    while (line = $stdin.gets)
      word, key, number = line.split
      case word
      when "reset" then reset
      when "fork"
        child = fork
        child ? Process.wait(child) : reset
      else say(operation(word, key, number&.to_i))
      end
    end
  end

  private

  def say(line)
    @out.write(line + "\n")
  end

  def reset
    @locks.each_value { |lock| close(lock) }
    @locks.clear
    srand(1)
    @start&.call
    say("ready")
  end

  # Whoever is cut off already has nothing to close.
  def close(lock)
    lock[:close]&.call
  rescue StandardError
    nil
  end

  def granted(says)
    out = "ok"
    out += format(" until=%.6f", says[:until]) if says[:until]
    out += format(" for=%.6f", says[:for]) if says[:for]
    out += " token=#{Integer(says[:token])}" if says[:token]
    out
  end

  def operation(word, key, number)
    prepares = word == "prepare" && @prepare
    run = prepares ? @prepare : (@locks[key] ||= @setup.call(key, -> { say("! lost #{key}") }))[word.to_sym]
    return "unsupported" unless run
    result = number && run.arity != 0 ? run.call(number) : run.call
    return word == "acquire" ? "refused" : "lost" if result == false
    return "done" if result == "done"
    granted(result.is_a?(Numeric) ? {until: result} : result.is_a?(Hash) ? result : {})
  rescue StandardError => error
    "error #{error.class}: #{error.message}".tr("\n", " ")
  end
end

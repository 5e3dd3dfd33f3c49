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
# script is given it where it takes an argument, and the weight of a call (3 of 10 permits) where it has
# the keyword `weight`: 1 where the script says none. An acquire without that keyword is not asked for a weight
# above 1: the answer is "unsupported". For a call that asks for several keys at once the block is given an array
# of them. An exception is an error. `close` ends the client's connections: it is called before the next run,
# because Ruby's garbage collector closes them at any time.

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
      word, key, *more = line.split
      case word
      when "reset" then reset
      when "fork"
        child = fork
        child ? Process.wait(child) : reset
      else say(operation(word, key, more))
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

  def lock_of(keys)
    @locks[keys] ||= @setup.call(keys.size > 1 ? keys : keys.first, -> { say("! lost #{keys.first}") })
  end

  def takes_weight?(run)
    run.parameters.any? { |kind, name| name == :weight && %i[key keyreq].include?(kind) }
  end

  def call(run, number, weight)
    takes_number = number && run.parameters.any? { |kind, _| %i[req opt rest].include?(kind) }
    weights = takes_weight?(run) ? {weight: weight} : {}
    takes_number ? run.call(number, **weights) : run.call(**weights)
  end

  # `more`: "5", the script's number, "with=b,c", other keys, and "weight=3", where there are any.
  def operation(word, key, more)
    said = more.grep(/=/).to_h { |part| part.split("=", 2) }
    number = more.grep_v(/=/).first&.to_i
    prepares = word == "prepare" && @prepare
    run = prepares ? @prepare : lock_of([key, *said["with"]&.split(",")])[word.to_sym]
    weight = said.fetch("weight", 1).to_i
    return "unsupported" if run.nil? || (word == "acquire" && weight > 1 && !takes_weight?(run))
    result = call(run, number, weight)
    return word == "acquire" ? "refused" : "lost" if result == false
    return "done" if result == "done"
    granted(result.is_a?(Numeric) ? {until: result} : result.is_a?(Hash) ? result : {})
  rescue StandardError => error
    "error #{error.class}: #{error.message}".tr("\n", " ")
  end
end

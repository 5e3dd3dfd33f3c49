// The scripts of the callers: what comes next, what is passed over, how a call is put to the
// program.
#include <algorithm>

#include "model/check.hpp"
#include "outside/stepped_run.hpp"

namespace lockkeeper {

const Operation& SteppedRun::next_operation(const Caller& caller, std::size_t index) const {
    return world_.world.callers[index].script[caller.next];
}

void SteppedRun::advance(Caller& caller, std::size_t index, std::size_t by) {
    const CallerConfig& config = world_.world.callers[index];
    caller.next += by;
    if (caller.next >= config.script.size() && config.repeats_forever) {
        caller.next = 0;
    }
    caller.done = caller.next >= config.script.size();
}

// What needs no step: conditions, calls of somebody who does not hold, and sleeps that are over.
void SteppedRun::pass_over(std::size_t index) {
    Caller& caller = callers_[index];
    // A script that repeats for ever and passes over everything would never end here.
    for (std::size_t i = 0; i <= world_.world.callers[index].script.size(); ++i) {
        if (caller.dead || caller.done || caller.activity.id >= 0) {
            return;
        }
        const Operation& operation = next_operation(caller, index);
        const bool holds = std::any_of(
            caller.held.begin(), caller.held.end(),
            [&](const Holding& holding) { return holding.operation.key == operation.key; });
        if (operation.verb == Verb::kIfHolding) {
            advance(caller, index, holds ? 1 : std::size_t{1} + operation.governs);
        } else if ((operation.verb == Verb::kRelease || operation.verb == Verb::kCall) && !holds &&
                   !operation.unchecked) {
            advance(caller, index, 1);
        } else if (operation.verb == Verb::kSleep && caller.wakes_at &&
                   shared_.clock() >= *caller.wakes_at) {
            caller.wakes_at.reset();
            advance(caller, index, 1);
        } else {
            return;
        }
    }
}

bool SteppedRun::can_begin(std::size_t index) const {
    const Caller& caller = callers_[index];
    const Operation& operation = next_operation(caller, index);
    switch (operation.verb) {
        case Verb::kWait: return signals_[operation.signal] >= operation.amount;
        case Verb::kSleep: return !caller.wakes_at;
        case Verb::kAcquire: return !caller.waits_for_change;
        case Verb::kRelease:
        case Verb::kExit:
        case Verb::kSignal:
        case Verb::kCall: return true;
        case Verb::kIfHolding: return false;  // passed over; see there for the exception
    }
    unreachable("a verb");
}

// As this caller sees it at this moment.
Operation SteppedRun::resolved(const Operation& operation, const Caller& caller) const {
    Operation out = operation;
    if (!operation.follows_resizes) {
        return out;
    }
    out.buckets = world_.world.views[view_];
    for (const Holding& holding : caller.held) {
        if (holding.operation.key == operation.key && operation.verb == Verb::kRelease) {
            out.buckets = holding.operation.buckets;
        }
    }
    return out;
}

std::int64_t SteppedRun::say_operation(const std::string& client, const Operation& operation,
                                       const Holding* holding) {
    const bool is_word = operation.verb == Verb::kCall;
    return program_.ask(client, word_of(operation), [&](MessageWriter& message) {
        message.add_text("key", world_.world.keys[operation.key]);
        if (!is_word) {
            message.add("max_per", operation.max_per).add("buckets", operation.buckets);
        } else if (operation.number != 0) {
            message.add("number", operation.number);
        }
        if (holding != nullptr && holding->token) {
            message.add("token", *holding->token);
        }
    });
}

// Takes what comes next; the words for a report. Afterwards either an operation is under way and
// the program has been told, or the script has gone on by itself.
std::string SteppedRun::begin_operation(std::size_t index) {
    Caller& caller = callers_[index];
    const Operation operation = resolved(next_operation(caller, index), caller);
    const std::string& signal =
        operation.uses_signal() ? world_.world.signals[operation.signal] : std::string();
    switch (operation.verb) {
        case Verb::kSignal:
            signals_[operation.signal] =
                std::min(signals_[operation.signal] + operation.amount, kSignalCountMax);
            advance(caller, index, 1);
            return "signal " + signal;
        case Verb::kWait:
            signals_[operation.signal] -= operation.keep ? 0U : operation.amount;
            advance(caller, index, 1);
            return "wait " + signal;
        case Verb::kSleep:
            caller.wakes_at = shared_.clock() + operation.number;
            return "sleep " + std::to_string(operation.number);
        case Verb::kExit: crash(index); return "exit";
        case Verb::kAcquire:
        case Verb::kRelease:
        case Verb::kCall: break;
        case Verb::kIfHolding: unreachable("conditions are passed over");
    }
    caller.operation = operation;
    caller.subject.reset();
    const auto last = std::find_if(caller.held.rbegin(), caller.held.rend(), [&](const auto& held) {
        return held.operation.key == operation.key;
    });
    if (operation.verb != Verb::kAcquire && last != caller.held.rend()) {
        caller.subject = *last;
        if (operation.verb == Verb::kRelease) {
            caller.held.erase(std::next(last).base());
        }
    }
    caller.waits_for_change = operation.verb == Verb::kAcquire;
    caller.possible_most = possible_count(operation.key);
    caller.activity = {};
    caller.activity.id = say_operation(world_.world.callers[index].name, operation,
                                       caller.subject ? &*caller.subject : nullptr);
    return word_of(operation);
}

}  // namespace lockkeeper

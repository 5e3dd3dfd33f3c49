// The scripts of the callers: what comes next, what is passed over, how a call is put to the
// program.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

// What needs no step: conditions, calls of somebody who does not hold, and sleeps that are over.
void SteppedRun::pass_over(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    // A script that repeats for ever and passes over everything would never end here.
    for (std::size_t i = 0; i <= config.script.size(); ++i) {
        if (caller.dead || caller.done || caller.activity.id >= 0) {
            return;
        }
        const auto left_out = caller.pass_over_one(
            config, [&](const BelievedHolding& holding) { return believes(caller, holding); });
        if (left_out) {
            if (left_out->operations > 0) {
                tally_.passed_over[left_out->why] += left_out->operations;
            }
            continue;
        }
        if (caller.upcoming(config).verb != Verb::kSleep || !caller.wakes_at ||
            shared_.clock() < *caller.wakes_at) {
            return;
        }
        caller.wakes_at.reset();
        caller.advance(config);
    }
}

bool SteppedRun::can_begin(std::size_t index) const {
    const Caller& caller = callers_[index];
    const Operation& operation = caller.upcoming(world_.world.callers[index]);
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

// Takes what comes next; the words for a report. Afterwards either an operation is under way and
// the program has been told, or the script has gone on by itself.
std::string SteppedRun::begin_operation(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    const Operation operation = caller.resolved(caller.upcoming(config), world_.world.views[view_]);
    const std::string& signal =
        operation.uses_signal() ? world_.world.signals[operation.signal] : std::string();
    switch (operation.verb) {
        case Verb::kSignal:
            signals_[operation.signal] =
                std::min(signals_[operation.signal] + operation.amount, kSignalCountMax);
            caller.advance(config);
            return "signal " + signal;
        case Verb::kWait:
            signals_[operation.signal] -= operation.keep ? 0U : operation.amount;
            caller.advance(config);
            return "wait " + signal;
        case Verb::kSleep:
            caller.wakes_at = shared_.clock() + operation.number * world_.tick_width;
            return "sleep " + std::to_string(operation.number);
        case Verb::kExit: crash(index); return "exit";
        case Verb::kAcquire:
        case Verb::kRelease:
        case Verb::kCall: break;
        case Verb::kIfHolding: unreachable("conditions are passed over");
    }
    caller.operation = operation;
    caller.subject = caller.take_subject(operation);
    caller.waits_for_change = operation.verb == Verb::kAcquire;
    caller.possible_most = possible_count(operation.key);
    caller.met_holder = false;
    caller.met_all_taken = false;
    note_holders(caller);
    caller.activity = {};
    caller.activity.id =
        say_operation(program_, world_.world, config.name, operation, caller.subject);
    return word_of(world_.world, operation);
}

}  // namespace lockkeeper

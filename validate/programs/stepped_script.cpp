// SPDX-License-Identifier: Apache-2.0

// The scripts of the callers: begins their operations, and sends calls to the program.
#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

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

// Takes the next operation and returns its words for a report. Afterwards either a call is under
// way and the program has been told, or the script has gone on by itself.
std::string SteppedRun::begin_operation(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    const Operation operation = caller.resolved(caller.upcoming(config), world_.world.views[view_]);
    switch (operation.verb) {
        case Verb::kSignal:
        case Verb::kWait:
            pass_signal(operation, signals_);
            caller.advance(config);
            return word_of(world_.world, operation) + " " + world_.world.signals[operation.signal];
        case Verb::kSleep:
            caller.wakes_at = shared_.clock() + operation.number * world_.tick_width;
            return "sleep " + std::to_string(operation.number);
        case Verb::kExit: crash(index); return "exit";
        case Verb::kAcquire:
        case Verb::kRelease:
        case Verb::kCall: break;
        case Verb::kIfHolding: unreachable("conditions are passed over");
    }
    ledger_.call(index, operation);
    caller.activity = {};
    caller.activity.id =
        say_operation(program_, world_.world, config.name, operation, caller.subject);
    return word_of(world_.world, operation);
}

}  // namespace lockkeeper

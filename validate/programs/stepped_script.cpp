// SPDX-License-Identifier: Apache-2.0

// The scripts of the callers: what comes next, what is passed over, how a call is put to the
// program.
#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

// What needs no step: conditions, calls of somebody who does not hold, and sleeps that are over.
void SteppedRun::pass_over(std::size_t index) {
    Caller& caller = callers_[index];
    if (caller.dead || caller.activity.id >= 0) {
        return;
    }
    const auto wakes = [&] {
        const bool is_over = caller.wakes_at && shared_.clock() >= *caller.wakes_at;
        if (is_over) {
            caller.wakes_at.reset();
        }
        return is_over;
    };
    caller.pass_over(
        world_.world.callers[index],
        [&](const BelievedHolding& holding) { return believes(caller, holding); }, wakes,
        tally_.passed_over);
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
    caller.operation = operation;
    caller.subject = caller.take_subject(operation);
    caller.waits_for_change = operation.verb == Verb::kAcquire;
    caller.possible_most = possible_count(operation.key);
    caller.first_step = steps_;
    caller.token_floor = last_token_[operation.key];
    caller.met_holder = false;
    caller.met_all_taken = false;
    note_holders(caller);
    calls_.call(index, operation, caller.subject.has_value(), shared_.clock());
    caller.activity = {};
    caller.activity.id =
        say_operation(program_, world_.world, config.name, operation, caller.subject);
    return word_of(world_.world, operation);
}

}  // namespace lockkeeper

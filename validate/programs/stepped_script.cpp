// SPDX-License-Identifier: Apache-2.0

// The calls of the callers: begins their operations, and turns the program's answers into those
// for the ledger and into words for a report.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

bool is_judged_outside(const Property& property) {
    using Number = PropertyNumber;
    constexpr Number kJudged[] = {
        Number::kOverAllocation,     Number::kLeak,        Number::kUnderAllocation,
        Number::kDoubleRelease,      Number::kCallerDeath, Number::kDeadlock,
        Number::kBeliefOverlap,      Number::kFalseOk,     Number::kTokenOrder,
        Number::kUnexplainedHistory, Number::kOverRate,    Number::kUnderRate};
    return is_told(property) || std::any_of(std::begin(kJudged), std::end(kJudged),
                                            [&](Number number) { return property.is(number); });
}

// Called after every step.
void SteppedRun::refresh() {
    ledger_.refresh([&](std::size_t index) {
        std::optional<std::int64_t>& wakes_at = callers_[index].wakes_at;
        const bool is_over = wakes_at && shared_.clock() >= *wakes_at;
        if (is_over) {
            wakes_at.reset();
        }
        return is_over;
    });
}

std::int64_t SteppedRun::time_of(std::size_t caller) const {
    const auto& settings = world_.world.callers[caller].settings;
    const auto offset = settings.find("clock");
    return shared_.clock() + (offset == settings.end() ? 0 : offset->second * world_.tick_width);
}

// Judges by the caller's own clock.
bool SteppedRun::is_over(std::size_t caller, const BelievedHolding& holding) const {
    return holding.until && time_of(caller) >= *holding.until;
}

std::int64_t SteppedRun::time_left(std::size_t caller, const BelievedHolding& holding) const {
    return time_between(time_of(caller), *holding.until);
}

CallEnd SteppedRun::end_operation(std::size_t index, const Message& answer) {
    Caller& caller = callers_[index];
    const Verb verb = caller.operation.verb;
    const std::string word = word_of(world_.world, caller.operation);
    const bool is_error = answer.kind == MessageKind::kError;
    ledger_.decide(PropertyNumber::kCallerDeath);
    refuse_stray(answer, word, world_.world.callers[index].name);
    refuse_unsupported(answer, word);
    if (is_error && answer.code == kErrorCrash) {
        ledger_.note(PropertyNumber::kCallerDeath);
        crash(index);  // inside of the call
        return {"died", verb};
    }
    ledger_.tally.events |= is_error ? kFailed : 0U;
    uses_time_ = uses_time_ || (!is_error && answer.until && verb != Verb::kRelease);
    const Told told = told_by(answer, verb);
    const Ledger::Changed changed = ledger_.answer(index, told);
    return call_end(told, verb, changed.ends);
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

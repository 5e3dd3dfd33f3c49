// SPDX-License-Identifier: Apache-2.0

// Turns a program's answers into those for the ledger, and into words for a report.
#include <algorithm>

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

std::string SteppedRun::end_operation(std::size_t index, const Message& answer) {
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
        return "died";
    }
    ledger_.tally.events |= is_error ? kFailed : 0U;
    uses_time_ = uses_time_ || (!is_error && answer.until && verb != Verb::kRelease);
    const Told told = told_by(answer, verb);
    const Ledger::Changed changed = ledger_.answer(index, told);
    return told_text(told, answer, verb, verb == Verb::kCall && changed.ends);
}

}  // namespace lockkeeper

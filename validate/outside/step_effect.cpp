// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/step_effect.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

bool shares_a_write(const KeyFootprint& left, const KeyFootprint& right) {
    return std::any_of(left.keys.begin(), left.keys.end(), [&](const KeyUse& one) {
        return std::any_of(right.keys.begin(), right.keys.end(), [&](const KeyUse& other) {
            return one.key == other.key && (one.writes || other.writes);
        });
    });
}

bool share(const std::vector<std::uint32_t>& left, const std::vector<std::uint32_t>& right) {
    return std::any_of(left.begin(), left.end(), [&](std::uint32_t inbox) {
        return std::find(right.begin(), right.end(), inbox) != right.end();
    });
}

}  // namespace

KeyFootprint& KeyFootprint::operator+=(const KeyFootprint& other) {
    everything = everything || other.everything;
    loads_script = loads_script || other.loads_script;
    needs_script = needs_script || other.needs_script;
    listens = listens || other.listens;
    may_tell = may_tell || other.may_tell;
    keys.insert(keys.end(), other.keys.begin(), other.keys.end());
    return *this;
}

bool commute(const KeyFootprint& left, const KeyFootprint& right) {
    const auto is_empty = [](const KeyFootprint& one) {
        return !one.everything && one.keys.empty() && !one.loads_script && !one.needs_script &&
               !one.listens && !one.may_tell;
    };
    if (is_empty(left) || is_empty(right)) {
        return true;
    }
    if ((left.loads_script && right.needs_script) || (left.needs_script && right.loads_script)) {
        return false;
    }
    if ((left.listens && right.may_tell) || (left.may_tell && right.listens)) {
        return false;
    }
    return !left.everything && !right.everything && !shares_a_write(left, right);
}

// Steps of different callers; the events are those whose order a property sees:
//   a belief that begins and one that ends (overlap), two that begin (tokens),
//   a belief that begins and an acquire's call (which of two grants is wholly later),
//   faults, because there are so many and no more of them,
//   a caller that is done and a fault that others' steps may come before: none when all are done,
//   an acquire's call and a release's return, a refusal and an acquire's call (under-allocation),
//   changes, the last of which a fail-over loses.
// And who is sent something: that comes after what has caused it, and in the order of its causes.
bool commute(const StepEffect& left, const StepEffect& right) {
    const auto meet = [&](std::uint32_t one, std::uint32_t other) {
        return ((left.events & one) != 0 && (right.events & other) != 0) ||
               ((left.events & other) != 0 && (right.events & one) != 0);
    };
    return left.caller != right.caller &&
           ((left.events | right.events) & StepEffect::kEverything) == 0 &&
           !meet(StepEffect::kBeliefBegins, StepEffect::kReleaseCalled) &&
           !meet(StepEffect::kBeliefBegins, StepEffect::kBeliefBegins) &&
           !meet(StepEffect::kBeliefBegins, StepEffect::kAcquireCalled) &&
           !meet(StepEffect::kAcquireCalled, StepEffect::kReleaseReturned) &&
           !meet(StepEffect::kRefusal, StepEffect::kAcquireCalled) &&
           !meet(StepEffect::kFaults, StepEffect::kFaults) &&
           !meet(StepEffect::kOfDone, StepEffect::kCallerDone) &&
           !meet(StepEffect::kChanged, StepEffect::kChanged) &&
           !share(left.inboxes, right.inboxes) && commute(left.footprint, right.footprint);
}

}  // namespace lockkeeper

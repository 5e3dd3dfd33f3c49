// SPDX-License-Identifier: Apache-2.0
#include "validate/compare/answers.hpp"

#include <algorithm>

namespace lockkeeper::against {
namespace {

std::string error_text(const ErasedSystem& system, const Event& event) {
    const std::string name = event.error == 0 ? "" : system.error_name(event.error);
    return !name.empty()        ? name
           : event.is(kRefused) ? "full"
                                : "error " + std::to_string(event.error);
}

}  // namespace

Answer answer_of(const ErasedSystem& system, const Event& event, bool with_count) {
    Answer answer;
    answer.granted = event.is(kAcquired);
    answer.refused = event.is(kRefused);
    answer.failed = event.is(kFailed);
    answer.lost = event.is(kLost);
    if (event.is(kCallerDied)) {
        answer.text = "died";
    } else if (answer.granted) {
        const bool has_count = with_count && event.count != Event::kNoValue;
        answer.text = kAcquiredWord + (has_count ? ", count " + std::to_string(event.count) : "");
    } else if (answer.refused || answer.failed) {
        answer.text = error_text(system, event);
    } else {
        answer.text = event.is(kReleased) ? "released" : answer.lost ? "lost" : kDoneWord;
    }
    return answer;
}

bool is_same_answer(const ObservedCall& observed, const Answer& answer) {
    const bool both_fail = (observed.lost || observed.failed) && (answer.lost || answer.failed);
    return answer.text == observed.text ||
           (observed.granted && answer.granted && observed.text == kAcquiredWord) ||
           (observed.unnamed && (both_fail || (observed.refused && answer.refused)));
}

Difference difference_of(const ObservedCall& observed, const Answer& answer) {
    const bool done = !observed.lost && !observed.failed && !observed.refused;
    if ((observed.granted && answer.refused) || (done && answer.lost)) {
        return Difference::kLooser;
    }
    const bool would = answer.granted || answer.text == kDoneWord;
    return (observed.refused && answer.granted) || (observed.lost && would) ? Difference::kStricter
                                                                            : Difference::kWrong;
}

// The side that goes on as a holder where the other does not is the looser one.
std::pair<Difference, std::string> another_call(const ObservedCall& observed, Verb made) {
    const auto uses_lock = [](Verb verb) { return verb == Verb::kRelease || verb == Verb::kCall; };
    if (uses_lock(observed.verb) && !uses_lock(made)) {
        return {Difference::kLooser, kHoldsNoLonger};
    }
    return {made == Verb::kRelease && !uses_lock(observed.verb) ? Difference::kStricter
                                                                : Difference::kWrong,
            kMakesNoSuchCall};
}

bool step_if_enabled(const ErasedSystem& system, ErasedSystem::State& state, std::uint8_t caller,
                     Event& event) {
    ActionList possible;
    system.enabled(state, possible);
    const Action step{caller, ActionKind::kStep, 0};
    if (!possible.contains(step)) {
        return false;
    }
    event = system.apply(state, step);
    return true;
}

std::vector<Action> background_of(const ErasedSystem& system, const ErasedSystem::State& state) {
    ActionList possible;
    system.enabled(state, possible);
    std::vector<Action> actions;
    std::copy_if(possible.begin(), possible.end(), std::back_inserter(actions),
                 [](Action action) { return action.kind == ActionKind::kBackground; });
    return actions;
}

bool step_background(const ErasedSystem& system, ErasedSystem::State& state) {
    const std::vector<Action> possible = background_of(system, state);
    if (possible.empty()) {
        return false;
    }
    system.apply(state, possible.front());
    return true;
}

std::int32_t instant_after(const ErasedSystem& system, const ErasedSystem::State& after,
                           std::int32_t before, Action action) {
    Observation seen{};
    system.observe(after, seen);
    return seen.now != 0 ? seen.now + kBeginning : before + action.argument;
}

void units_of(const ErasedSystem& system, const ErasedSystem::State& state,
              std::vector<std::uint32_t>& least, std::vector<std::uint32_t>& most) {
    Observation seen{};
    system.observe(state, seen);
    for (std::size_t key = 0; key < seen.keys_count; ++key) {
        least.push_back(static_cast<std::uint32_t>(seen.keys[key].counted_least));
        most.push_back(static_cast<std::uint32_t>(seen.keys[key].counted_most));
    }
}

std::vector<std::uint32_t> grants_of(const ErasedSystem& system, const ErasedSystem::State& state) {
    Observation seen{};
    system.observe(state, seen);
    std::vector<std::uint32_t> grants;
    for (std::size_t key = 0; key < seen.keys_count; ++key) {
        grants.push_back(seen.keys[key].granted);
    }
    return grants;
}

}  // namespace lockkeeper::against

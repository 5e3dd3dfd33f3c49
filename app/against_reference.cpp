#include "app/against_reference.hpp"

#include <algorithm>
#include <cstring>

namespace lockkeeper::against {
namespace {

constexpr int kStepsMax = 10'000;  // of one call of the reference

}  // namespace

std::string answer_of(const ErasedSystem& system, const Event& event, bool with_count) {
    if (event.is(kCallerDied)) {
        return "died";
    }
    if (event.is(kAcquired)) {
        const bool has_count = with_count && event.count != Event::kNoValue;
        return kAcquiredWord + (has_count ? ", count " + std::to_string(event.count) : "");
    }
    if (event.is(kRefused)) {
        return "full";
    }
    if (event.is(kFailed)) {
        const std::string name = system.error_name(event.error);
        return name.empty() ? "error " + std::to_string(event.error) : name;
    }
    return event.is(kReleased) ? "released" : "done";
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

bool ReferenceSearch::step_background(State& state) const {
    ActionList possible;
    reference_.enabled(state, possible);
    for (const Action action : possible) {
        if (action.kind == ActionKind::kBackground) {
            reference_.apply(state, action);
            return true;
        }
    }
    return false;
}

bool ReferenceSearch::step_caller(State& state, std::uint8_t caller, Event& event) const {
    ActionList possible;
    reference_.enabled(state, possible);
    const Action step{caller, ActionKind::kStep, 0};
    if (!possible.contains(step)) {
        return false;
    }
    event = reference_.apply(state, step);
    return true;
}

ReferenceSearch::Answered ReferenceSearch::call(State& state, std::uint8_t caller) const {
    Answered answered;
    for (int i = 0; i < kStepsMax && !answered.returned; ++i) {
        Event event;
        if (!step_caller(state, caller, event)) {
            if (!step_background(state)) {
                return answered;
            }
            continue;
        }
        if (event.is(kInvoked)) {
            answered.verb = event.invoked;
            answered.key = event.key;
        }
        if ((event.what & kReturns) != 0) {
            answered.returned = true;
            answered.granted = event.is(kAcquired);
            answered.refused = event.is(kRefused);
            answered.answer = answer_of(reference_, event, with_counts_);
        }
    }
    for (int i = 0; i < kStepsMax && step_background(state); ++i) {
    }
    return answered;
}

// No call that is not placed returned before this one was called.
bool ReferenceSearch::may_be_next(std::size_t index, Mask placed) const {
    if ((placed >> index & 1U) != 0) {
        return false;
    }
    for (std::size_t other = 0; other < observed_->calls.size(); ++other) {
        const ObservedCall& call = observed_->calls[other];
        const bool open = (placed >> other & 1U) == 0 && other != index;
        if (open && call.returned && *call.returned < observed_->calls[index].called) {
            return false;
        }
    }
    return true;
}

// A grant that tells no count agrees with any.
bool ReferenceSearch::is_same_answer(const ObservedCall& observed, const Answered& answered) {
    return answered.answer == observed.answer ||
           (observed.granted && answered.granted && observed.answer == kAcquiredWord);
}

void ReferenceSearch::remember(std::size_t depth, std::size_t index, Difference difference,
                               const std::string& expected) {
    const bool deeper = deepest_.difference == Difference::kNone || depth > deepest_.explained;
    // Of several at the same depth, the call that returned first.
    const bool earlier = depth == deepest_.explained && deepest_.call &&
                         observed_->calls[index].returned.value_or(SIZE_MAX) <
                             observed_->calls[*deepest_.call].returned.value_or(SIZE_MAX);
    if (deeper || earlier) {
        deepest_ = {difference, index, expected, depth};
    }
}

bool ReferenceSearch::units_agree(const State& state) {
    if (!with_units_ || !observed_->at_rest) {
        return true;
    }
    std::vector<std::uint32_t> least;
    std::vector<std::uint32_t> most;
    units_of(reference_, state, least, most);
    for (std::size_t key = 0; key < least.size(); ++key) {
        if (observed_->units_least[key] > most[key] || observed_->units_most[key] < least[key]) {
            deepest_ = {Difference::kWrong, std::nullopt,
                        std::to_string(most[key]) + " units in use at the end, not " +
                            std::to_string(observed_->units_least[key]),
                        observed_->calls.size()};
            return false;
        }
    }
    return true;
}

bool ReferenceSearch::place_next(const State& state, Mask placed, std::size_t depth) {
    std::string fingerprint(reinterpret_cast<const char*>(&placed), sizeof(placed));
    fingerprint.append(reinterpret_cast<const char*>(state.bytes.data()), reference_.used_bytes());
    if (!seen_.insert(std::move(fingerprint)).second || ++orders_ > kOrdersMax) {
        return false;
    }
    bool all_placed = true;
    for (std::size_t i = 0; i < observed_->calls.size(); ++i) {
        all_placed = all_placed && ((placed >> i & 1U) != 0 || !observed_->calls[i].returned);
    }
    if (all_placed && units_agree(state)) {
        return true;
    }
    for (std::size_t i = 0; i < observed_->calls.size(); ++i) {
        if (!may_be_next(i, placed)) {
            continue;
        }
        const ObservedCall& observed = observed_->calls[i];
        State after = state;
        const Answered answered = call(after, observed.caller);
        const bool same_call =
            answered.returned && answered.verb == observed.verb && answered.key == observed.key;
        if (same_call && (!observed.returned || is_same_answer(observed, answered))) {
            if (place_next(after, placed | Mask{1} << i, depth + (observed.returned ? 1U : 0U))) {
                return true;
            }
        } else if (observed.returned) {
            const Difference kind = !same_call                             ? Difference::kWrong
                                    : observed.granted && answered.refused ? Difference::kLooser
                                    : observed.refused && answered.granted ? Difference::kStricter
                                                                           : Difference::kWrong;
            remember(depth, i, kind, same_call ? answered.answer : "does not make this call");
        }
    }
    return false;
}

Explanation ReferenceSearch::explain(const ObservedRun& observed) {
    if (observed.calls.size() > kCallsMax) {
        return {Difference::kUndecided, std::nullopt, "", 0};
    }
    observed_ = &observed;
    seen_.clear();
    orders_ = 0;
    deepest_ = {};
    if (place_next(reference_.initial(), 0, 0)) {
        const std::string wrong =
            observed.stuck ? "every call returns, here some never do" : observed.wrong_at_end;
        return wrong.empty()
                   ? Explanation{}
                   : Explanation{Difference::kWrong, std::nullopt, wrong, observed.calls.size()};
    }
    return orders_ > kOrdersMax ? Explanation{Difference::kUndecided, std::nullopt, "", 0}
                                : deepest_;
}

}  // namespace lockkeeper::against

// SPDX-License-Identifier: Apache-2.0

// Searches for an order in which the reference, taking one whole call after the other, answers as
// the candidate did. Used by against.cpp only.
#pragma once

#include <algorithm>
#include <bitset>
#include <string>
#include <unordered_set>
#include <vector>

#include "validate/compare/against.hpp"
#include "validate/compare/answers.hpp"

namespace lockkeeper::against {

class CallOrderSearch {
  public:
    struct Compares {
        bool counts = false;
        bool units = false;  // of both at rest
        bool left = false;   // what a program leaves at the end with what the reference does
    };

    // By the number of resizes that have happened.
    CallOrderSearch(const std::vector<ErasedSystem>& by_resizes, Compares compares)
        : by_resizes_(by_resizes), reference_(by_resizes.front()), compares_(compares) {}

    [[nodiscard]] Explanation explain(const ObservedRun& observed) {
        if (observed.calls.size() + observed.deaths.size() > kPlacedMax) {
            return {Difference::kUndecided, std::nullopt, "", 0};
        }
        observed_ = &observed;
        seen_.clear();
        orders_ = 0;
        deepest_ = {};
        if (place_next(reference_.initial(), 0, 0)) {
            const std::string& wrong = observed.misbehaves;
            return wrong.empty() ? Explanation{}
                                 : Explanation{Difference::kWrong, std::nullopt, wrong,
                                               observed.calls.size()};
        }
        const bool unknown = orders_ > kOrdersMax || deepest_.difference == Difference::kNone;
        return unknown ? Explanation{Difference::kUndecided, std::nullopt, "", 0} : deepest_;
    }

  private:
    // Calls come first in a Mask, then deaths.
    static constexpr std::size_t kPlacedMax = 64;
    static constexpr std::uint64_t kOrdersMax = 20'000;
    static constexpr int kStepsMax = 10'000;  // of one call of the reference
    using State = ErasedSystem::State;
    using Mask = std::uint64_t;

    // One whole call, and what the background has to do after it.
    struct Answered {
        bool returned = false;
        Verb verb = Verb::kAcquire;
        std::uint8_t key = 0;
        Answer answer;
    };
    [[nodiscard]] Answered call(State& state, std::uint8_t caller, std::size_t resizes) const {
        Answered answered;
        // The rest of an earlier clean-up may happen at any time (place_next), not only here.
        const bool was_quiet = background_of(reference_, state).empty();
        for (int i = 0; i < kStepsMax && !answered.returned; ++i) {
            Event event;
            if (!step_if_enabled(by_resizes_[resizes], state, caller, event)) {
                if (!step_background(reference_, state)) {
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
                answered.answer = answer_of(reference_, event, compares_.counts);
            }
        }
        for (int i = 0; was_quiet && i < kStepsMax && step_background(reference_, state); ++i) {
        }
        return answered;
    }

    bool place_next(const State& state, Mask placed, std::size_t depth) {
        std::string fingerprint(reinterpret_cast<const char*>(&placed), sizeof(placed));
        fingerprint.append(reinterpret_cast<const char*>(state.bytes.data()),
                           reference_.used_bytes());
        if (!seen_.insert(std::move(fingerprint)).second || ++orders_ > kOrdersMax) {
            return false;
        }
        if (is_all_placed(placed) && ends_well(state, placed)) {
            return true;
        }
        const std::size_t calls = observed_->calls.size();
        for (std::size_t i = 0; i < calls; ++i) {
            if (may_be_next(i, observed_->calls[i].called, placed) &&
                place_call(state, placed, depth, i)) {
                return true;
            }
        }
        for (std::size_t i = 0; i < observed_->deaths.size(); ++i) {
            if (may_be_next(calls + i, observed_->deaths[i].at, placed) &&
                place_death(state, placed, depth, i)) {
                return true;
            }
        }
        const bool somebody_is_dead = !observed_->deaths.empty() && placed >> calls != 0;
        return somebody_is_dead && clean_up(state, placed, depth);
    }
    bool place_call(const State& state, Mask placed, std::size_t depth, std::size_t index) {
        const ObservedCall& observed = observed_->calls[index];
        State after = state;
        const Answered answered = call(after, observed.caller, observed.resizes);
        const bool same_call =
            answered.returned && answered.verb == observed.verb && answered.key == observed.key;
        if (same_call && (!observed.returned || is_same_answer(observed, answered.answer))) {
            return place_next(after, placed | Mask{1} << index,
                              depth + (observed.returned ? 1U : 0U));
        }
        if (observed.returned) {
            const Difference kind =
                same_call ? difference_of(observed, answered.answer) : Difference::kWrong;
            remember(depth, index, kind, same_call ? answered.answer.text : kMakesNoSuchCall);
        }
        return false;
    }
    // Tries the death after each part of its call, from none on; place_call places a whole call.
    bool place_death(const State& state, Mask placed, std::size_t depth, std::size_t index) {
        const ObservedDeath& death = observed_->deaths[index];
        const Mask with = placed | Mask{1} << (observed_->calls.size() + index);
        const bool is_inside = death.inside && !is_placed(*death.inside, placed);
        State before = state;
        for (int steps = 0; steps < kStepsMax; ++steps) {
            State after = before;
            Event event;
            if (!death.exits) {
                event = reference_.apply(after, {death.caller, ActionKind::kCrash, 0});
            } else {
                step_if_enabled(reference_, after, death.caller, event);
            }
            if (!event.is(kCrashed)) {
                return false;
            }
            if (place_next(after, with, depth)) {
                return true;
            }
            while (is_inside &&
                   !step_if_enabled(by_resizes_[observed_->calls[*death.inside].resizes], before,
                                    death.caller, event)) {
                if (!step_background(reference_, before)) {
                    return false;
                }
            }
            if (!is_inside || (event.what & kReturns) != 0) {
                return false;
            }
        }
        return false;
    }
    // Goes on by each step that it can take.
    bool clean_up(const State& state, Mask placed, std::size_t depth) {
        for (const Action action : background_of(reference_, state)) {
            State after = state;
            reference_.apply(after, action);
            if (place_next(after, placed, depth)) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool is_placed(std::size_t index, Mask placed) const {
        return (placed >> index & 1U) != 0;
    }
    [[nodiscard]] bool is_all_placed(Mask placed) const {
        const std::size_t calls = observed_->calls.size();
        for (std::size_t i = 0; i < calls; ++i) {
            if (observed_->calls[i].returned && !is_placed(i, placed)) {
                return false;
            }
        }
        const bool must_die = observed_->at_rest || observed_->stuck;
        for (std::size_t i = 0; must_die && i < observed_->deaths.size(); ++i) {
            if (!is_placed(calls + i, placed)) {
                return false;
            }
        }
        return true;
    }
    // No call that is not placed returned before this call or death began.
    [[nodiscard]] bool may_be_next(std::size_t index, std::size_t began, Mask placed) const {
        if (is_placed(index, placed)) {
            return false;
        }
        for (std::size_t other = 0; other < observed_->calls.size(); ++other) {
            const ObservedCall& call = observed_->calls[other];
            const bool open = !is_placed(other, placed) && other != index;
            if (open && call.returned && *call.returned < began) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool ends_well(const State& state, Mask placed) {
        const bool cleans_up =
            !observed_->deaths.empty() && (observed_->at_rest || observed_->stuck);
        if (cleans_up && !background_of(reference_, state).empty()) {
            return false;
        }
        return is_stuck_too(state, placed) && units_agree(state) && left_agrees(state);
    }
    [[nodiscard]] bool units_agree(const State& state) {
        if (!compares_.units || !observed_->at_rest) {
            return true;
        }
        std::vector<std::uint32_t> least;
        std::vector<std::uint32_t> most;
        units_of(reference_, state, least, most);
        for (std::size_t key = 0; key < least.size(); ++key) {
            if (observed_->units_least[key] > most[key] ||
                observed_->units_most[key] < least[key]) {
                return disagree_at_end(std::to_string(most[key]) +
                                       " units in use at the end, not " +
                                       std::to_string(observed_->units_least[key]));
            }
        }
        return true;
    }
    // A reference that loses units of the dead, or frees too many, excuses a program that does.
    [[nodiscard]] bool left_agrees(const State& state) {
        if (observed_->left == LeftAtEnd::kAsMuch) {
            return true;
        }
        const bool less = observed_->left == LeftAtEnd::kLess;
        Observation seen{};
        reference_.observe(state, seen);
        for (std::size_t key = 0; compares_.left && key < seen.keys_count; ++key) {
            const KeyObservation& of = seen.keys[key];
            if (less ? of.counted_least > of.believed : of.counted_most < of.believed) {
                return true;
            }
        }
        return disagree_at_end(less
                                   ? "all that nobody holds can be acquired at the end, here less"
                                   : "no more than there is can be acquired at the end, here more");
    }
    // Nobody alive could go on beside the reference either: an open call does not return, and a
    // caller that asks again is refused.
    [[nodiscard]] bool is_stuck_too(const State& state, Mask placed) {
        if (!observed_->stuck) {
            return true;
        }
        std::bitset<kCallersMax> waiting;  // inside a call
        bool returns = false;
        for (std::size_t i = 0; i < observed_->calls.size(); ++i) {
            const ObservedCall& call = observed_->calls[i];
            const bool abandoned =
                std::any_of(observed_->deaths.begin(), observed_->deaths.end(),
                            [&](const ObservedDeath& death) { return death.inside == i; });
            if (!call.returned && !abandoned) {
                waiting.set(call.caller);
                returns = returns || is_placed(i, placed);
            }
        }
        ActionList possible;
        reference_.enabled(state, possible);
        const std::size_t view = by_resizes_.size() - 1;
        for (const Action action : possible) {
            if (action.kind == ActionKind::kStep) {
                State after = state;
                const Answered answered = call(after, action.actor, view);
                const bool waits = waiting.test(action.actor);
                returns = returns || (answered.returned && (waits || !answered.answer.refused));
            }
        }
        return !returns || disagree_at_end("every call returns, here some never do");
    }
    bool disagree_at_end(const std::string& expected) {
        deepest_ = {Difference::kWrong, std::nullopt, expected, observed_->calls.size()};
        return false;
    }
    void remember(std::size_t depth, std::size_t index, Difference difference,
                  const std::string& expected) {
        const bool deeper = deepest_.difference == Difference::kNone || depth > deepest_.explained;
        // Among calls at the same depth, the one that returned first counts.
        const bool earlier = depth == deepest_.explained && deepest_.call &&
                             observed_->calls[index].returned.value_or(SIZE_MAX) <
                                 observed_->calls[*deepest_.call].returned.value_or(SIZE_MAX);
        if (deeper || earlier) {
            deepest_ = {difference, index, expected, depth};
        }
    }

    const std::vector<ErasedSystem>& by_resizes_;
    const ErasedSystem& reference_;
    Compares compares_;
    const ObservedRun* observed_ = nullptr;
    std::unordered_set<std::string> seen_;
    std::uint64_t orders_ = 0;
    Explanation deepest_;
};

}  // namespace lockkeeper::against

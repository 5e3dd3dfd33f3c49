// SPDX-License-Identifier: Apache-2.0

// The steps of parties, each learned once and looked up from then on.
//
// In a System of local steps (Hints::local_steps) the actions of a slot depend on that slot, on
// what is shared and on the rest of the state, and change nothing else. As numbers of parts
// (state_codec.hpp) there are few such situations, and many states made of them: the first state
// that shows a situation is unpacked and its steps are executed; every other state copies the
// numbers. Nothing is assumed beyond the contract: learning checks that a step changed no other
// slot. Steps that concern others, too (Hints::wide_steps), are marked as such and executed in
// every state.
//
// Reading is safe from several threads while nobody learns.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/states/entry_rows.hpp"
#include "scheduler/states/key_map.hpp"
#include "scheduler/states/sleep_sets.hpp"
#include "scheduler/states/state_codec.hpp"

namespace lockkeeper {

// One action of a slot, as it changes the numbers.
struct LearnedStep {
    static constexpr std::uint16_t kAsBefore = 0xFFFF;  // tail: neither read nor changed
    static constexpr std::uint8_t kWide = 0xFF;         // footprint: executed in every state

    std::uint16_t slot = 0;
    std::uint16_t shared = 0;
    std::uint16_t tail = 0;
    bool is_fault = false;
    std::uint8_t footprint = 0;  // its kind
    Action action;               // its actor is the slot that it was learned at
    std::uint32_t what = 0;      // EventBits

    // In the numbers of a state of so many slots; slot `at` takes the step.
    void change(std::uint16_t* numbers, std::size_t slots_count, std::size_t at) const {
        numbers[at] = slot;
        numbers[slots_count] = shared;
        if (tail != kAsBefore) {
            numbers[slots_count + 1] = tail;
        }
    }
};

struct Situation {
    static constexpr std::uint16_t kNone = 0xFFFF;

    std::uint32_t first = 0;  // of its steps
    std::uint16_t count = 0;
    std::uint16_t private_step = kNone;  // among them
};

template <System S>
class StepTable {
    static_assert(kHintsOf<S>.local_steps);

  public:
    using State = typename S::State;
    using Number = std::uint16_t;

    static_assert(kHintsOf<S>.parts == Hints::Parts::kAtRunTime || S::kSlotsMax <= 32,
                  "readers_of_tail has a bit for each group");

    // `visible`: events that a private step must not show.
    StepTable(const S& system, bool symmetry, std::uint32_t visible)
        : system_(system), group_(group_of_slots(system, symmetry)), visible_(visible) {
        std::memset(static_cast<void*>(&before_), 0, sizeof(before_));
    }

    [[nodiscard]] std::size_t bytes() const {
        return situations_.bytes() + steps_.capacity() * sizeof(LearnedStep);
    }
    [[nodiscard]] std::size_t size() const { return situations_.size(); }
    // False: so many states have shown nearly as many situations. Executing steps is faster, and
    // from then on all are executed.
    [[nodiscard]] bool pays(std::size_t states) {
        constexpr std::size_t kTrial = 20'000;
        constexpr std::size_t kUsesLeast = 4;
        pays_ = pays_ && (size() < kTrial || size() * kUsesLeast < states);
        return pays_;
    }

    // Returns what slot `at` can do; nullptr: not learned yet.
    [[nodiscard]] const Situation* find(const Number* numbers, std::size_t slots_count,
                                        std::size_t at) const {
        return situations_.find(key_of(numbers, slots_count, at));
    }
    [[nodiscard]] const LearnedStep* steps(const Situation& situation) const {
        return steps_.data() + situation.first;
    }
    // By shared and tail: whether actions that belong to no slot have to be looked for; and by
    // slots: whether the state can be one of rest.
    [[nodiscard]] bool acts_elsewhere(Number shared) const { return acts_elsewhere_[shared] != 0; }
    [[nodiscard]] bool may_rest(const Number* slots, std::size_t slots_count) const {
        return std::all_of(slots, slots + slots_count,
                           [&](Number slot) { return may_rest_[slot] != 0; });
    }
    // Others may have new private steps when this differs before and after a step.
    [[nodiscard]] std::uint8_t mode(Number shared) const { return mode_[shared]; }

    void learn(StateCodec<S>& codec, const Number* numbers, std::size_t at) {
        const std::size_t slots_count = codec.slots_count();
        learn_parts(codec);
        const std::uint64_t key = key_of(numbers, slots_count, at);
        if (situations_.find(key) != nullptr) {
            return;
        }
        codec.unpack_numbers(numbers, before_);
        const bool reads_tail = this->reads_tail(numbers[at], at);
        Situation situation{static_cast<std::uint32_t>(steps_.size()), 0, Situation::kNone};
        system_.enabled_of(before_, at, actions_);
        for (Action action : actions_) {
            if (situation.private_step == Situation::kNone &&
                system_.is_private(before_, action, visible_)) {
                situation.private_step = situation.count;
            }
            steps_.push_back(learned_step(codec, action, at));
            if constexpr (kHintsOf<S>.footprints) {
                const Footprint footprint = system_.footprint(before_, action);
                steps_.back().footprint = footprints_.kind_of(footprint);
                LOCKKEEPER_CHECK((footprint.writes & Footprint::kShared) != 0 ||
                                 steps_.back().shared == numbers[slots_count]);
                LOCKKEEPER_CHECK((footprint.writes & Footprint::kRest) != 0 ||
                                 steps_.back().tail == numbers[slots_count + 1]);
            }
            if (!reads_tail && steps_.back().footprint != LearnedStep::kWide) {
                LOCKKEEPER_CHECK(steps_.back().tail == numbers[slots_count + 1]);
                steps_.back().tail = LearnedStep::kAsBefore;
            }
            ++situation.count;
        }
        situations_.add(key, situation);
        learn_parts(codec);
    }

    // Every part that has a number is known here, too, before anybody looks.
    void learn_parts(const StateCodec<S>& codec) {
        while (may_rest_.size() < codec.slots().size()) {
            codec.unpack_slot(static_cast<std::uint32_t>(may_rest_.size()), 0, before_);
            may_rest_.push_back(system_.may_rest(before_, 0) ? 1 : 0);
            reads_tail_.push_back(readers_of_tail(before_, codec.slots_count()));
        }
        while (mode_.size() < codec.shared().size()) {
            codec.unpack_shared(static_cast<std::uint32_t>(mode_.size()), before_);
            mode_.push_back(system_.mode(before_));
            acts_elsewhere_.push_back(system_.acts_elsewhere(before_) ? 1 : 0);
        }
    }

    [[nodiscard]] const FootprintKinds& footprints() const { return footprints_; }
    [[nodiscard]] FootprintKinds& footprints() { return footprints_; }

  private:
    // The key of a situation: the kind of the slot and the numbers that its actions depend on. Zero
    // is no key.
    [[nodiscard]] std::uint64_t key_of(const Number* numbers, std::size_t slots_count,
                                       std::size_t at) const {
        const Number tail =
            reads_tail(numbers[at], at) ? numbers[slots_count + 1] : LearnedStep::kAsBefore;
        return std::uint64_t{numbers[at]} << 40U | std::uint64_t{numbers[slots_count]} << 24U |
               std::uint64_t{tail} << 8U | (group_[at] + 1U);
    }

    [[nodiscard]] bool reads_tail(Number slot, std::size_t at) const {
        if constexpr (kHintsOf<S>.parts == Hints::Parts::kAtRunTime) {
            return true;
        }
        return (reads_tail_[slot] >> system_.group(at) & 1U) != 0;
    }
    // Bit g: a caller of group g in the situation of the first slot.
    [[nodiscard]] std::uint32_t readers_of_tail(const State& state, std::size_t slots_count) const {
        std::uint32_t readers = 0;
        if constexpr (kHintsOf<S>.parts == Hints::Parts::kCompiled) {
            State moved = state;
            for (std::size_t at = 0; at < std::min(slots_count, S::kSlotsMax); ++at) {
                std::memcpy(reinterpret_cast<std::byte*>(&moved) + at * S::parts().slot_bytes,
                            reinterpret_cast<const std::byte*>(&state), S::parts().slot_bytes);
                readers |= system_.reads_rest(moved, at) ? 1U << system_.group(at) : 0U;
            }
        }
        return readers;
    }

    LearnedStep learned_step(StateCodec<S>& codec, Action action, std::size_t at) {
        LearnedStep step;
        State after = before_;
        Event event;
        if constexpr (kHintsOf<S>.wide_steps) {
            if (!system_.apply_alone(after, action, event)) {
                step.is_fault = lockkeeper::is_fault(action);
                step.action = action;
                step.footprint = LearnedStep::kWide;
                return step;
            }
        } else {
            event = system_.apply(after, action);
        }
        LOCKKEEPER_CHECK(codec.differs_only_at(before_, after, at));
        step.slot = codec.add_slot(after, at);
        step.shared = codec.add_shared(after);
        step.tail = codec.add_tail(after);
        step.is_fault = lockkeeper::is_fault(action);
        step.action = action;
        step.what = event.what;
        return step;
    }

    const S& system_;
    std::vector<std::uint8_t> group_;  // of each slot
    std::uint32_t visible_;
    KeyMap<Situation> situations_;
    std::vector<LearnedStep> steps_;
    bool pays_ = true;
    std::vector<std::uint8_t> may_rest_;
    std::vector<std::uint32_t> reads_tail_;
    std::vector<std::uint8_t> mode_;
    std::vector<std::uint8_t> acts_elsewhere_;
    FootprintKinds footprints_;
    ActionList actions_;
    State before_;
};

}  // namespace lockkeeper

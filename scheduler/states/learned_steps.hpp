// SPDX-License-Identifier: Apache-2.0

// Steps of slots, each learned once and looked up from then on, laid out for runs: a row for each
// value of what is shared and of the rest, in it an entry for each situation of a slot. A step
// names the row and the situation that it leads to, and by how much the numbers of possible actions
// change. Used by LearnedSimulator and by walks; step_table.hpp is the same for searches.
//
// Rows and entries never change their numbers or meaning. Errors: InternalError where the System
// contradicts its contract; LimitExceeded from the model, also for a step that no run would have
// taken; TooManyToLearn.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "model/action_class.hpp"
#include "scheduler/states/action_lanes.hpp"
#include "scheduler/states/entry_rows.hpp"
#include "scheduler/states/state_codec.hpp"
#include "scheduler/states/too_many_to_learn.hpp"

namespace lockkeeper {

// A step of a slot.
struct RunStep {
    std::uint32_t row = 0;
    std::uint32_t action = 0;  // without its actor, as bytes
    std::uint32_t what = 0;    // EventBits
    std::uint16_t situation = 0;
    std::int8_t steps = 0;  // so many more are possible after it
    std::int8_t background = 0;
    std::int8_t faults = 0;
    std::int8_t busy = 0;
    ActionClass action_class{};
    bool is_turning = false;     // what others can do may be different after it
    bool keeps_counts = false;   // as many are possible after it of each kind
    bool keeps_classes = false;  // and they are of the same classes
};

// Counts what a slot in some situation can do. Its faults are counted, and not learned.
struct RunEntry {
    std::uint32_t first = 0;  // of the learned steps; 0: none yet
    std::uint8_t steps = 0;
    std::uint8_t background = 0;
    std::uint8_t faults = 0;
    std::uint8_t busy = 0;  // 1: not at rest
};

struct RunRow {
    std::uint16_t shared = 0;
    std::uint16_t tail = 0;
    std::uint16_t elsewhere = 0;  // actions of no slot that are no faults
    std::uint16_t elsewhere_faults = 0;
};

template <System S>
class LearnedSteps {
    static_assert(kHintsOf<S>.learned_runs());

  public:
    using State = typename S::State;
    using Number = std::uint16_t;
    using Entry = RunEntry;
    using Step = RunStep;
    using Situations = std::array<Number, S::kSlotsMax>;

    explicit LearnedSteps(const S& system)
        : system_(system),
          codec_(system, false),
          entries_(group_of_slots(system, true)),
          steps_(1) {
        std::memset(static_cast<void*>(&before_), 0, sizeof(before_));
        std::memset(static_cast<void*>(&unpacked_), 0, sizeof(unpacked_));
    }

    [[nodiscard]] static bool can(const S& system) {
        return system.has_local_steps() && system.has_slot_actions();
    }
    [[nodiscard]] std::size_t slots_count() const { return codec_.slots_count(); }
    [[nodiscard]] const RunRow& row(std::uint32_t row) const { return rows_[row]; }
    [[nodiscard]] const RunEntry& entry(std::uint32_t row, std::size_t slot, Number situation) {
        return entries_.at(row, slot, situation);
    }
    [[nodiscard]] const RunStep& step(const RunEntry& entry, std::size_t number) const {
        return steps_[entry.first + number];
    }

    // The row and the situations of any state.
    LOCKKEEPER_SELDOM std::uint32_t find(const State& state, Situations& situations) {
        for (std::size_t slot = 0; slot < slots_count(); ++slot) {
            situations[slot] = situation_of(state, slot);
        }
        return row_of(state);
    }
    [[nodiscard]] LOCKKEEPER_SELDOM const State& state(std::uint32_t row,
                                                       const Situations& situations) {
        unpack(row, situations, unpacked_);
        return unpacked_;
    }

    // Into a state, zero or made by this before, what a step has changed.
    void put_slot(std::size_t slot, Number situation, State& state) const {
        codec_.unpack_slot(situation, slot, state);
    }
    void put_rest(std::uint32_t row, State& state) const {
        codec_.unpack_rest(rows_[row].shared, rows_[row].tail, state);
    }

    // Learns what slot `slot` can do in this state.
    LOCKKEEPER_SELDOM const RunEntry& learn(std::uint32_t row, const Situations& situations,
                                            std::size_t slot) {
        unpack(row, situations, before_);
        RunEntry learned = count(before_, slot);
        classes_before_ = classes(before_);
        std::vector<RunStep> steps;
        const ActionList actions = actions_;  // count() has left them there
        for (std::size_t i = 0; i < actions.size() - learned.faults; ++i) {
            steps.push_back(learned_step(actions[i], slot, learned));
        }
        learned.first = static_cast<std::uint32_t>(steps_.size());
        steps_.insert(steps_.end(), steps.begin(), steps.end());
        return entries_.at(row, slot, situations[slot]) = learned;
    }

  private:
    void unpack(std::uint32_t row, const Situations& situations, State& state) const {
        typename StateCodec<S>::Numbers numbers;
        std::copy_n(situations.begin(), slots_count(), numbers.begin());
        numbers[slots_count()] = rows_[row].shared;
        numbers[slots_count() + 1] = rows_[row].tail;
        codec_.unpack_numbers(numbers.data(), state);
    }

    [[nodiscard]] RunEntry count(const State& state, std::size_t slot) {
        RunEntry entry;
        system_.enabled_of(state, slot, actions_);
        for (const Action action : actions_) {
            const bool is_step = action.kind == ActionKind::kStep;
            std::uint8_t& kind = is_fault(action) ? entry.faults
                                 : is_step        ? entry.steps
                                                  : entry.background;
            ++kind;
            LOCKKEEPER_CHECK(kind <= ActionLane::kCountMost && action.actor == slot);
            // In this order (Hints::slot_actions).
            LOCKKEEPER_CHECK(!is_step || entry.background == 0);
            LOCKKEEPER_CHECK(is_fault(action) || entry.faults == 0);
        }
        entry.busy = system_.may_rest(state, slot) ? 0 : 1;
        return entry;
    }

    // The classes of the actions that count() has left.
    [[nodiscard]] std::vector<ActionClass> classes(const State& state) const {
        std::vector<ActionClass> all;
        for (const Action action : actions_) {
            all.push_back(class_of(system_, state, action));
        }
        return all;
    }

    [[nodiscard]] RunStep learned_step(Action action, std::size_t slot, const RunEntry& before) {
        State after = before_;
        const Event event = system_.apply(after, action);
        LOCKKEEPER_CHECK(codec_.differs_only_at(before_, after, slot));
        const RunEntry then = count(after, slot);
        const auto more = [](std::uint8_t now, std::uint8_t earlier) {
            return static_cast<std::int8_t>(now - earlier);
        };
        RunStep step;
        step.action = static_cast<std::uint32_t>(action.kind) << 8U |
                      static_cast<std::uint32_t>(action.argument) << 16U;
        step.situation = situation_of(after, slot);
        step.row = row_of(after);
        step.steps = more(then.steps, before.steps);
        step.background = more(then.background, before.background);
        step.faults = more(then.faults, before.faults);
        step.busy = more(then.busy, before.busy);
        step.what = event.what;
        step.action_class = class_of(system_, before_, action);
        step.keeps_counts = step.steps == 0 && step.background == 0 && step.faults == 0;
        step.keeps_classes = step.keeps_counts && classes(after) == classes_before_;
        step.is_turning = system_.circumstances(after) != system_.circumstances(before_);
        return step;
    }

    [[nodiscard]] Number situation_of(const State& state, std::size_t slot) {
        const Number number = with_room([&] { return codec_.add_slot(state, slot); });
        if (!entries_.widen(number)) {
            throw TooManyToLearn();
        }
        return number;
    }
    [[nodiscard]] std::uint32_t row_of(const State& state) {
        RunRow row;
        row.shared = with_room([&] { return codec_.add_shared(state); });
        row.tail = with_room([&] { return codec_.add_tail(state); });
        const std::uint32_t key = std::uint32_t{row.shared} << 16U | row.tail;
        if (const std::uint32_t* known = entries_.find(key)) {
            return *known;
        }
        system_.enabled_elsewhere(state, actions_);
        for (const Action action : actions_) {
            ++(is_fault(action) ? row.elsewhere_faults : row.elsewhere);
        }
        if (!entries_.add(key)) {
            throw TooManyToLearn();
        }
        rows_.push_back(row);
        return static_cast<std::uint32_t>(rows_.size() - 1);
    }
    // The codec has more numbers when it is asked for; it leaves those given before as they are.
    template <class Give>
    [[nodiscard]] Number with_room(Give give) {
        try {
            return give();
        } catch (const TooManyParts&) {
            codec_.make_room();
            if (codec_.is_wide()) {
                throw TooManyToLearn();
            }
            return give();
        }
    }

    const S& system_;
    StateCodec<S> codec_;
    std::vector<RunRow> rows_;
    EntryRows<RunEntry> entries_;
    std::vector<RunStep> steps_;  // the first one is nobody's
    ActionList actions_;
    std::vector<ActionClass> classes_before_;
    State before_;
    State unpacked_;
};

}  // namespace lockkeeper

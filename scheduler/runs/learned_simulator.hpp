// SPDX-License-Identifier: Apache-2.0

// The simulator for Systems whose steps can be learned (learned_steps.hpp). It makes the very runs
// that Simulator makes with the same strategy and seed, several times as fast, because it looks
// steps up instead of taking them. It takes the real step where a property asks about the event or
// state. For strategies that choose by numbers (choose_among).
//
// run() returns nullptr when learning does not pay or meets a limit of the model: then, and from
// then on, Simulator has to do it.
#pragma once

#include <optional>
#include <variant>

#include "scheduler/runs/simulator.hpp"
#include "scheduler/states/learned_steps.hpp"

namespace lockkeeper {

template <class S>
inline constexpr bool kRunsAreLearned = [] {
    if constexpr (kHintsOf<S>.learned_runs()) {
        return S::kSlotsMax <= ActionLane::kSlotsMost;
    } else {
        return false;
    }
}();

template <System S>
class LearnedSimulator {
    static_assert(kRunsAreLearned<S>);

  public:
    using State = typename S::State;

    // Only if can(system).
    LearnedSimulator(const S& system, Judge judge, Judge goals)
        : system_(system),
          judged_(system, std::move(judge), std::move(goals)),
          asked_(judged_.judge().triggers() | judged_.goals().triggers()),
          learned_(system) {}

    [[nodiscard]] static bool can(const S& system) { return LearnedSteps<S>::can(system); }
    // The state at the end of the last run.
    [[nodiscard]] const State& state() { return learned_.state(last_row_, situations_); }

    template <class Strategy>
    const Run* run(Strategy& strategy, std::uint64_t steps_max) {
        if (!pays_) {
            return nullptr;
        }
        try {
            run_to_its_end(strategy, steps_max);
            return &judged_.run();
        } catch (const TooManyToLearn&) {
            pays_ = false;
        } catch (const LimitExceeded&) {
            pays_ = false;
        }
        return nullptr;
    }

  private:
    using Situations = typename LearnedSteps<S>::Situations;

    // Where a run is, apart from the situations of the slots. Handed on as a value, so that the
    // loop can keep it in registers.
    struct Place {
        std::uint32_t row = 0;
        std::int32_t busy = 0;        // slots that are not at rest
        std::uint32_t elsewhere = 0;  // actions of no slot that are no faults
        std::uint32_t faults = 0;
        ActionLane steps;
        ActionLane background;
    };

    template <class Strategy>
    void run_to_its_end(Strategy& strategy, std::uint64_t steps_max) {
        Place place = begin();
        Run& run = judged_.run();
        while (run.broken.empty()) {
            const std::uint32_t steps = place.steps.total();
            const std::uint32_t of_slots = steps + place.background.total();
            const std::uint32_t plain = of_slots + place.elsewhere;
            const std::uint32_t all = plain + place.faults;
            if (plain == 0 && judged_.end(learned_.state(place.row, situations_), all > 0)) {
                break;
            }
            if (run.actions.size() >= steps_max) {
                run.cut = true;
                break;
            }
            const std::uint32_t index = strategy.choose_among(all, plain);
            if (index >= of_slots) {
                place = take_other(place.row, index, all);
                continue;
            }
            const bool is_background = index >= steps;
            const ActionLane lane = is_background ? place.background : place.steps;
            const auto [slot, number] = lane.at(index - (is_background ? steps : 0));
            place = take(place, slot, number + (is_background ? place.steps.of(slot) : 0));
        }
        last_row_ = place.row;
    }

    [[nodiscard]] Place begin() {
        judged_.begin();
        if (!has_begun_) {
            has_begun_ = true;
            const std::uint32_t row = learned_.find(system_.initial(), initial_situations_);
            situations_ = initial_situations_;
            initial_ = look_at_all(row);
        }
        situations_ = initial_situations_;
        return initial_;
    }

    // `number`: among the actions of the slot.
    [[gnu::always_inline]] inline Place take(Place place, std::size_t slot, std::size_t number) {
        const RunEntry* entry = &learned_.entry(place.row, slot, situations_[slot]);
        if (entry->first == 0) [[unlikely]] {
            entry = &learned_.learn(place.row, situations_, slot);
        }
        const RunStep step = learned_.step(*entry, number);
        const std::uint32_t action = step.action | static_cast<std::uint32_t>(slot);
        judged_.run().actions.push_back(std::bit_cast<Action>(action));
        if ((step.what & asked_) != 0) {
            judge_step(place.row, std::bit_cast<Action>(action));
        }
        situations_[slot] = step.situation;
        place.row = step.row;
        place.steps.add(slot, step.steps);
        place.background.add(slot, step.background);
        place.faults += static_cast<std::uint32_t>(std::int32_t{step.faults});
        place.busy += step.busy;
        if (step.is_turning) [[unlikely]] {
            place = look_at_all(place.row);
        }
        if (place.busy == 0 && judged_.judge().judges_rest()) {
            judge_rest(place.row);
        }
        return place;
    }

    // A fault, or an action of no slot: seldom, and executed. `index` in the order of
    // enabled().
    LOCKKEEPER_SELDOM Place take_other(std::uint32_t row, std::uint32_t index, std::uint32_t all) {
        State state = learned_.state(row, situations_);
        system_.enabled(state, actions_);
        LOCKKEEPER_CHECK(actions_.size() == all);
        const Action action = actions_[index];
        judged_.run().actions.push_back(action);
        const Event event = system_.apply(state, action);
        judged_.judge_step(state, event);
        const Place place = look_at_all(learned_.find(state, situations_));
        if (place.busy == 0) {
            judge_rest(place.row);
        }
        return place;
    }

    // Adds up what every slot can do in this row.
    LOCKKEEPER_SELDOM Place look_at_all(std::uint32_t row) {
        Place place;
        place.row = row;
        place.elsewhere = learned_.row(row).elsewhere;
        place.faults = learned_.row(row).elsewhere_faults;
        for (std::size_t slot = 0; slot < learned_.slots_count(); ++slot) {
            RunEntry entry = learned_.entry(row, slot, situations_[slot]);
            if (entry.first == 0) {
                entry = learned_.learn(row, situations_, slot);
            }
            place.steps.add(slot, static_cast<std::int8_t>(entry.steps));
            place.background.add(slot, static_cast<std::int8_t>(entry.background));
            place.faults += entry.faults;
            place.busy += entry.busy;
        }
        return place;
    }

    LOCKKEEPER_SELDOM void judge_step(std::uint32_t row, Action action) {
        State state = learned_.state(row, situations_);
        const Event event = system_.apply(state, action);
        judged_.judge_step(state, event);
    }
    LOCKKEEPER_SELDOM void judge_rest(std::uint32_t row) {
        judged_.judge_rest(learned_.state(row, situations_));
    }

    const S& system_;
    JudgedRun<S> judged_;
    std::uint32_t asked_;  // events
    LearnedSteps<S> learned_;
    bool pays_ = true;
    bool has_begun_ = false;
    Situations initial_situations_{};
    Place initial_;
    Situations situations_{};
    std::uint32_t last_row_ = 0;
    ActionList actions_;
};

// std::monostate for Systems that have none.
template <System S>
struct LearnedSimulatorIfAny {
    using Type = std::monostate;
};
template <System S>
    requires(kRunsAreLearned<S>)
struct LearnedSimulatorIfAny<S> {
    using Type = std::optional<LearnedSimulator<S>>;
};

}  // namespace lockkeeper

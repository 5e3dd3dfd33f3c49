// SPDX-License-Identifier: Apache-2.0

// Walker for any System. Compiled once for each of them, so it is small.
//
// Two ways lead to the next action. In general all enabled actions are listed in every step. In a
// Hints::slot_actions a list of what is possible is kept, one part for each class of actions, and
// only what the last step concerned is looked at again: a step costs the same among 4 and 128
// callers.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "scheduler/runs/possible_actions.hpp"
#include "scheduler/runs/walker.hpp"
#include "scheduler/states/too_many_to_learn.hpp"

namespace lockkeeper {

// Every step is taken.
template <System S>
class NoLearnedSteps {
  public:
    struct Situations {};
    struct Entry {};
    struct Step {};
    explicit NoLearnedSteps(const S&) {}
    [[nodiscard]] static bool can(const S&) { return false; }
};

// Learned: NoLearnedSteps, or LearnedSteps (scheduler/states/learned_steps.hpp), where steps are
// looked up. The run is the same.
template <System S, class Learned = NoLearnedSteps<S>>
class SystemWalker final : public Walker {
  public:
    SystemWalker(S system, const Law& law)
        : system_(std::move(system)),
          law_(law),
          possible_(law),
          state_(system_.initial()),
          learned_(system_) {
        if constexpr (kHintsOf<S>.slot_actions) {
            by_slot_ = system_.has_slot_actions();
            learns_ = by_slot_ && law_.kind != LawKind::kRates && Learned::can(system_);
        }
    }

    void begin() override {
        state_ = system_.initial();
        look_at_all_anew();
    }
    [[nodiscard]] std::size_t state_bytes() const override { return sizeof(State); }
    void save(std::byte* to) const override { std::memcpy(to, &state_, sizeof(State)); }
    void load(const std::byte* from) override {
        std::memcpy(static_cast<void*>(&state_), from, sizeof(State));
        look_at_all_anew();
    }
    void observe(Observation& out) const override { system_.observe(state_, out); }
    [[nodiscard]] bool quiescent() const override { return system_.quiescent(state_); }

    WalkStop walk(Walk& walk) override {
        if constexpr (kHintsOf<S>.slot_actions) {
            if (by_slot_) {
                const WalkStop stop = walk_on<true>(walk);
                settle();
                return stop;
            }
        }
        return walk_on<false>(walk);
    }

  private:
    using State = typename S::State;
    static constexpr bool kMayLearn = !std::same_as<Learned, NoLearnedSteps<S>>;
    static constexpr std::size_t kElsewhere = PossibleActions::kHomesMax - 1;
    static constexpr std::uint64_t kStepsBetweenChecks = 4096;

    // By slot, or by the list of all enabled actions.
    template <bool kBySlot>
    WalkStop walk_on(Walk& walk) {
        Event event;
        for (;;) {
            if constexpr (!kBySlot) {
                system_.enabled(state_, actions_);
            }
            if ((kBySlot ? possible_.only_faults() : only_faults(actions_)) &&
                (settle(), is_deadlock())) {
                return WalkStop::kDeadlock;
            }
            const double sum = kBySlot ? possible_.weights_sum() : weigh();
            if (sum <= 0) {
                return WalkStop::kFinished;
            }
            if (walk.steps >= walk.steps_end) {
                return WalkStop::kSteps;
            }
            bool shown = false;
            if constexpr (kBySlot) {
                shown = take_of_slot(walk, possible_.draw(walk.random, sum), sum, event);
                if (walk.steps % kStepsBetweenChecks == 0) {
                    check();
                }
            } else {
                shown = take(walk, actions_[draw(walk.random, sum)], sum, event);
            }
            if (shown || walk.steps >= walk.steps_end) {
                walk.event = event;
            }
            if (shown) {
                return WalkStop::kShown;
            }
            if (walk.stops_at_rest && (!kBySlot || busy_count_ == 0) &&
                (settle(), system_.quiescent(state_))) {
                walk.event = event;
                return WalkStop::kAtRest;
            }
        }
    }

    // The part of a step that is the same both ways. True: the walk stops for it.
    bool take(Walk& walk, Action action, double sum, Event& event) {
        if (law_.kind == LawKind::kRates) {
            walk.seconds += 1 / sum;
        }
        event = system_.apply(state_, action);
        ++walk.steps;
        walk.grants += event.is(kGranted) ? 1U : 0U;
        return (event.what & walk.triggers) != 0;
    }

    [[nodiscard]] bool is_deadlock() const {
        return !system_.finished(state_) && !time_is_over(system_, state_);
    }

    // --- all enabled actions in every step ---------------------------------------------------

    [[nodiscard]] ActionClass class_of(Action action) const {
        return lockkeeper::class_of(system_, state_, action);
    }
    double weigh() {
        if (law_.kind == LawKind::kUniform) {
            return static_cast<double>(actions_.size());
        }
        double sum = 0;
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            weights_[i] = law_.weight(class_of(actions_[i]));
            sum += weights_[i];
        }
        return sum;
    }
    [[nodiscard]] std::size_t draw(Random& random, double sum) const {
        if (law_.kind == LawKind::kUniform) {
            return random.below(static_cast<std::uint32_t>(actions_.size()));
        }
        double left = random.unit() * sum;
        std::size_t last = 0;
        for (std::size_t i = 0; i < actions_.size(); ++i) {
            if (weights_[i] > 0) {
                last = i;
                if (left < weights_[i]) {
                    break;
                }
                left -= weights_[i];
            }
        }
        return last;
    }

    // --- what the last step concerned ----------------------------------------------------------

    void look_at_all() {
        if constexpr (kHintsOf<S>.slot_actions) {
            if (!by_slot_) {
                return;
            }
            possible_.clear();
            busy_.fill(0);
            busy_count_ = 0;
            circumstances_ = system_.circumstances(state_);
            look_at_slots();
            system_.enabled_elsewhere(state_, actions_);
            list_actions(kElsewhere);
        }
    }
    // In a state that has nothing to do with the one before.
    void look_at_all_anew() {
        unwritten_.fill(0);
        rest_is_unwritten_ = false;
        look_at_all();
    }
    void look_at_slots() requires(kHintsOf<S>.slot_actions) {
        find_place();
        for (std::size_t slot = 0; slot < system_.slots_count(); ++slot) {
            look_at(slot);
        }
    }
    void look_at(std::size_t slot) requires(kHintsOf<S>.slot_actions) {
        system_.enabled_of(state_, slot, actions_);
        list_actions(slot);
        set_busy(slot, system_.may_rest(state_, slot) ? 0 : 1);
    }
    void list_actions(std::size_t home) {
        possible_.replace(
            home, actions_.size(), [&](std::size_t i) { return actions_[i]; },
            [&](std::size_t i) { return class_of(actions_[i]); });
    }
    void set_busy(std::size_t slot, std::uint8_t busy) {
        busy_count_ += busy;
        busy_count_ -= busy_[slot];
        busy_[slot] = busy;
    }
    LOCKKEEPER_SELDOM void check() {
        settle();
        system_.enabled(state_, actions_);
        LOCKKEEPER_CHECK(actions_.size() == possible_.size());
    }

    // True: the walk stops for it.
    bool take_of_slot(Walk& walk, PossibleActions::Entry chosen, double sum, Event& event) {
        const std::size_t home = chosen.home;
        const bool has_learned = learns_;
        if constexpr (kMayLearn) {
            if (has_learned && home != kElsewhere && !is_fault(chosen.action)) {
                if (const auto* entry = learned_entry(home)) {
                    return take_learned(walk, home, learned_.step(*entry, chosen.number), sum,
                                        event);
                }
                system_.enabled_of(state_, home, actions_);
                chosen.action = actions_[chosen.number];
            }
        }
        settle();
        const bool shown = take(walk, chosen.action, sum, event);
        if (home == kElsewhere || system_.circumstances(state_) != circumstances_) {
            look_at_all();
        } else if (has_learned) {
            look_at_slots();
        } else {
            look_at(home);
        }
        return shown;
    }

    // --- steps that are looked up --------------------------------------------------------------
    //
    // Their changes are written into the state when somebody asks for it.

    // nullptr: from now on nothing is learned any more.
    [[nodiscard]] const typename Learned::Entry* learned_entry(std::size_t home) {
        const typename Learned::Entry& entry = learned_.entry(row_, home, situations_[home]);
        return entry.first != 0 ? &entry : learn(home);
    }
    LOCKKEEPER_SELDOM const typename Learned::Entry* learn(std::size_t home) {
        try {
            return &learned_.learn(row_, situations_, home);
        } catch (const TooManyToLearn&) {
        } catch (const LimitExceeded&) {
        }
        settle();
        learns_ = false;
        return nullptr;
    }
    bool take_learned(Walk& walk, std::size_t home, const typename Learned::Step step, double sum,
                      Event& event) {
        if (law_.kind == LawKind::kRates) {
            walk.seconds += 1 / sum;
        }
        ++walk.steps;
        walk.grants += (step.what & kGranted) != 0 ? 1U : 0U;
        const bool shown = (step.what & walk.triggers) != 0;
        const std::size_t busy_after =
            busy_count_ + static_cast<std::size_t>(std::ptrdiff_t{step.busy});
        if (shown || walk.steps >= walk.steps_end || (walk.stops_at_rest && busy_after == 0)) {
            settle();  // an event tells of others, too
            const std::uint32_t action = step.action | static_cast<std::uint32_t>(home);
            event = system_.apply(state_, std::bit_cast<Action>(action));
        } else {
            unwritten_[home / 64] |= std::uint64_t{1} << home % 64;
            rest_is_unwritten_ = rest_is_unwritten_ || step.row != row_;
        }
        situations_[home] = step.situation;
        row_ = step.row;
        if (step.is_turning) {
            settle();
            look_at_all();
        } else if (law_.kind == LawKind::kUniform ? step.keeps_counts : step.keeps_classes) {
            busy_[home] = static_cast<std::uint8_t>(busy_[home] + step.busy);
            busy_count_ = busy_after;
        } else {
            look_up(home);
        }
        return shown;
    }
    // Does what look_at() does, with learned steps.
    void look_up(std::size_t slot) {
        const typename Learned::Entry* entry = learned_entry(slot);
        if (entry == nullptr) {
            look_at_slots();
            return;
        }
        if (entry->faults > 0) {
            settle();
            look_at(slot);
            return;
        }
        possible_.replace(
            slot, std::size_t{entry->steps} + entry->background,
            [&](std::size_t) { return Action{static_cast<std::uint8_t>(slot)}; },
            [&](std::size_t i) { return learned_.step(*entry, i).action_class; });
        set_busy(slot, entry->busy);
    }
    void settle() {
        if constexpr (kMayLearn) {
            for (std::size_t word = 0; word < unwritten_.size(); ++word) {
                for (std::uint64_t left = unwritten_[word]; left != 0; left &= left - 1) {
                    const std::size_t slot =
                        word * 64 + static_cast<std::size_t>(std::countr_zero(left));
                    learned_.put_slot(slot, situations_[slot], state_);
                }
                unwritten_[word] = 0;
            }
            if (std::exchange(rest_is_unwritten_, false)) {
                learned_.put_rest(row_, state_);
            }
        }
    }
    void find_place() {
        if constexpr (kMayLearn) {
            if (learns_) {
                try {
                    row_ = learned_.find(state_, situations_);
                } catch (const TooManyToLearn&) {
                    learns_ = false;
                }
            }
        }
    }

    S system_;
    Law law_;
    PossibleActions possible_;
    State state_;
    Learned learned_;
    bool learns_ = false;
    std::uint32_t row_ = 0;
    typename Learned::Situations situations_{};
    std::array<std::uint64_t, kCallersMax / 64 + 1> unwritten_{};  // slots, as bits
    bool rest_is_unwritten_ = false;
    bool by_slot_ = false;
    std::uint32_t circumstances_ = 0;
    std::size_t busy_count_ = 0;  // slots that are not at rest
    std::array<std::uint8_t, PossibleActions::kHomesMax> busy_{};
    ActionList actions_;
    std::array<double, ActionList::kCapacity> weights_{};
};

// Every step is taken. learned_walkers_of() is the same for a System whose steps can be learned.
template <System S>
[[nodiscard]] MakeWalker walkers_of(S system) {
    return [system = std::move(system)](const Law& law) -> std::unique_ptr<Walker> {
        return std::make_unique<SystemWalker<S>>(system, law);
    };
}

}  // namespace lockkeeper

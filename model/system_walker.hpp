// Walker for any System. Compiled once for each of them (ErasedSystem), so it is small.
//
// Two ways lead to the next action. In general all enabled actions are listed in every step. In a
// SlotActionsSystem a list of what is possible is kept, one part for each class of actions, and
// only what the last step concerned is looked at again: a step costs the same among 4 and 128
// callers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "model/law.hpp"
#include "model/system.hpp"
#include "model/walker.hpp"

namespace lockkeeper {

// What is possible, as places in dense arrays, one for each class of actions with a weight of its
// own (one for all under the uniform law). What has no weight is only counted.
class PossibleActions {
  public:
    static constexpr std::size_t kHomesMax = kCallersMax + 1;  // the last one: of no slot
    static constexpr std::size_t kOfHomeMax = 16;

    explicit PossibleActions(const Law& law) : is_uniform_(law.kind == LawKind::kUniform) {
        for (std::size_t i = 0; i < kActionClasses; ++i) {
            weights_[i] = law.weights[i];
        }
        if (is_uniform_) {
            weights_.fill(0);
            weights_[0] = 1;
        }
        clear();
    }

    struct Entry {
        Action action;
        std::uint8_t home = 0;
        std::uint8_t number = 0;  // among those of its home
    };

    void clear() {
        size_.fill(0);
        count_.fill(0);
        listed_ = 0;
        steps_ = 0;
    }
    // The actions of one slot from now on; class_of(action) says what each is to the law.
    template <class ClassOf>
    void replace(std::size_t home, const ActionList& actions, ClassOf class_of) {
        LOCKKEEPER_CHECK(actions.size() <= kOfHomeMax);
        const std::size_t before = count_[home];
        for (std::size_t i = 0; i < actions.size(); ++i) {
            const std::size_t list =
                is_uniform_ ? 0 : static_cast<std::size_t>(class_of(actions[i]));
            Place& place = places_[home][i];
            if (i < before && place.list == list) {
                Entry& entry = lists_[list][place.at];
                steps_ += is_fault(actions[i]) ? 0U : 1U;
                steps_ -= is_fault(entry.action) ? 0U : 1U;
                entry.action = actions[i];
            } else {
                if (i < before) {
                    remove(place);
                }
                LOCKKEEPER_CHECK(size_[list] < kListed);
                place = {static_cast<std::uint16_t>(list), static_cast<std::uint16_t>(size_[list])};
                lists_[list][size_[list]++] = {actions[i], static_cast<std::uint8_t>(home),
                                               static_cast<std::uint8_t>(i)};
                steps_ += is_fault(actions[i]) ? 0U : 1U;
                ++listed_;
            }
        }
        for (std::size_t i = actions.size(); i < before; ++i) {
            remove(places_[home][i]);
        }
        count_[home] = static_cast<std::uint8_t>(actions.size());
    }

    [[nodiscard]] std::size_t size() const { return listed_; }
    [[nodiscard]] bool only_faults() const { return steps_ == 0; }
    [[nodiscard]] double weights_sum() const {
        if (is_uniform_) {
            return static_cast<double>(size_[0]);
        }
        double sum = 0;
        for (std::size_t i = 0; i < kActionClasses; ++i) {
            sum += weights_[i] * static_cast<double>(size_[i]);
        }
        return sum;
    }
    // By the law; the sum of the weights is not 0.
    [[nodiscard]] const Entry& draw(Random& random, double sum) const {
        if (is_uniform_) {
            return lists_[0][random.below(static_cast<std::uint32_t>(size_[0]))];
        }
        double left = random.unit() * sum;
        std::size_t last = 0;
        for (std::size_t i = 0; i < kActionClasses; ++i) {
            const double share = weights_[i] * static_cast<double>(size_[i]);
            if (share > 0) {
                last = i;
                if (left < share) {
                    break;
                }
                left -= share;
            }
        }
        // Of equals; rounding ends at the last class that has a weight.
        return lists_[last][random.below(static_cast<std::uint32_t>(size_[last]))];
    }

  private:
    static constexpr std::size_t kListed = ActionList::kCapacity;
    struct Place {
        std::uint16_t list = 0;
        std::uint16_t at = 0;
    };

    void remove(Place place) {
        auto& list = lists_[place.list];
        steps_ -= is_fault(list[place.at].action) ? 0U : 1U;
        --listed_;
        const Entry& last = list[--size_[place.list]];
        places_[last.home][last.number] = place;
        list[place.at] = last;
    }

    bool is_uniform_;
    std::array<double, kActionClasses> weights_{};
    std::size_t listed_ = 0;
    std::size_t steps_ = 0;  // of the listed ones, those that are no faults
    std::array<std::size_t, kActionClasses> size_{};
    std::array<std::array<Entry, kListed>, kActionClasses> lists_{};
    std::array<std::array<Place, kOfHomeMax>, kHomesMax> places_{};
    std::array<std::uint8_t, kHomesMax> count_{};
};

template <System S>
class SystemWalker final : public Walker {
  public:
    SystemWalker(S system, const Law& law)
        : system_(std::move(system)), law_(law), possible_(law), state_(system_.initial()) {
        if constexpr (SlotActionsSystem<S>) {
            by_slot_ = system_.has_slot_actions();
        }
    }

    void begin() override {
        state_ = system_.initial();
        look_at_all();
    }
    [[nodiscard]] std::size_t state_bytes() const override { return sizeof(State); }
    void save(std::byte* to) const override { std::memcpy(to, &state_, sizeof(State)); }
    void load(const std::byte* from) override {
        std::memcpy(static_cast<void*>(&state_), from, sizeof(State));
        look_at_all();
    }
    void observe(Observation& out) const override { system_.observe(state_, out); }
    [[nodiscard]] bool quiescent() const override { return system_.quiescent(state_); }

    WalkStop walk(Walk& walk) override {
        if constexpr (SlotActionsSystem<S>) {
            if (by_slot_) {
                return walk_by_slot(walk);
            }
        }
        return walk_by_list(walk);
    }

  private:
    using State = typename S::State;
    static constexpr std::size_t kElsewhere = PossibleActions::kHomesMax - 1;
    static constexpr std::uint64_t kStepsBetweenChecks = 4096;

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

    // --- all enabled actions in every step ---------------------------------------------------

    WalkStop walk_by_list(Walk& walk) {
        Event event;
        for (;;) {
            system_.enabled(state_, actions_);
            if (only_faults(actions_) && !system_.finished(state_)) {
                return WalkStop::kDeadlock;
            }
            const double sum = weigh();
            if (sum <= 0) {
                return WalkStop::kFinished;
            }
            if (walk.steps >= walk.steps_end) {
                return WalkStop::kSteps;
            }
            const bool shown = take(walk, actions_[draw(walk.random, sum)], sum, event);
            if (shown || walk.steps >= walk.steps_end) {
                walk.event = event;
            }
            if (shown) {
                return WalkStop::kShown;
            }
            if (walk.stops_at_rest && system_.quiescent(state_)) {
                walk.event = event;
                return WalkStop::kAtRest;
            }
        }
    }
    [[nodiscard]] ActionClass class_of(Action action) const {
        if constexpr (requires { system_.class_of(state_, action); }) {
            return system_.class_of(state_, action);
        } else {
            return lockkeeper::class_of(action.kind);
        }
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
        if constexpr (SlotActionsSystem<S>) {
            if (!by_slot_) {
                return;
            }
            possible_.clear();
            busy_.fill(0);
            busy_count_ = 0;
            circumstances_ = system_.circumstances(state_);
            for (std::size_t slot = 0; slot < system_.slots_count(); ++slot) {
                look_at(slot);
            }
            system_.enabled_elsewhere(state_, actions_);
            possible_.replace(kElsewhere, actions_,
                              [&](Action action) { return class_of(action); });
        }
    }
    void look_at(std::size_t slot) requires SlotActionsSystem<S> {
        system_.enabled_of(state_, slot, actions_);
        possible_.replace(slot, actions_, [&](Action action) { return class_of(action); });
        const std::uint8_t busy = system_.may_rest(state_, slot) ? 0 : 1;
        busy_count_ += busy;
        busy_count_ -= busy_[slot];
        busy_[slot] = busy;
    }
    LOCKKEEPER_SELDOM void check() {
        system_.enabled(state_, actions_);
        LOCKKEEPER_CHECK(actions_.size() == possible_.size());
    }

    WalkStop walk_by_slot(Walk& walk) requires SlotActionsSystem<S> {
        Event event;
        for (;;) {
            if (possible_.only_faults() && !system_.finished(state_)) {
                return WalkStop::kDeadlock;
            }
            const double sum = possible_.weights_sum();
            if (sum <= 0) {
                return WalkStop::kFinished;
            }
            if (walk.steps >= walk.steps_end) {
                return WalkStop::kSteps;
            }
            const auto chosen = possible_.draw(walk.random, sum);
            const bool shown = take(walk, chosen.action, sum, event);
            if (chosen.home == kElsewhere || system_.circumstances(state_) != circumstances_) {
                look_at_all();
            } else {
                look_at(chosen.home);
            }
            if (walk.steps % kStepsBetweenChecks == 0) {
                check();
            }
            if (shown || walk.steps >= walk.steps_end) {
                walk.event = event;
            }
            if (shown) {
                return WalkStop::kShown;
            }
            if (walk.stops_at_rest && busy_count_ == 0 && system_.quiescent(state_)) {
                walk.event = event;
                return WalkStop::kAtRest;
            }
        }
    }

    S system_;
    Law law_;
    PossibleActions possible_;
    State state_;
    bool by_slot_ = false;
    std::uint32_t circumstances_ = 0;
    std::size_t busy_count_ = 0;  // slots that are not at rest
    std::array<std::uint8_t, PossibleActions::kHomesMax> busy_{};
    ActionList actions_;
    std::array<double, ActionList::kCapacity> weights_{};
};

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Walks through a World, one chosen step after the other, and shows the state after each step. For
// the tests of model/ and impl/; nothing else includes it.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/schedule.hpp"
#include "model/world.hpp"

namespace lockkeeper::testing_model {

[[nodiscard]] inline Operation acquire(int place_capacity = 1, int places = 1, int key = 0) {
    Operation operation;
    operation.key = static_cast<std::uint8_t>(key);
    operation.place_capacity = static_cast<std::uint16_t>(place_capacity);
    operation.places = static_cast<std::uint16_t>(places);
    return operation;
}
[[nodiscard]] inline Operation release(int place_capacity = 1, int places = 1, int key = 0) {
    Operation operation = acquire(place_capacity, places, key);
    operation.verb = Verb::kRelease;
    return operation;
}
[[nodiscard]] inline Operation release_unchecked(int place_capacity = 1, int places = 1,
                                                 int key = 0) {
    Operation operation = release(place_capacity, places, key);
    operation.unchecked = true;
    return operation;
}
[[nodiscard]] inline Operation insist(int place_capacity = 1, int places = 1, int key = 0) {
    Operation operation = acquire(place_capacity, places, key);
    operation.until_acquired = true;
    return operation;
}
[[nodiscard]] inline Operation following(Operation operation) {
    operation.follows_resizes = true;
    return operation;
}
[[nodiscard]] inline Operation exit_process() {
    Operation operation;
    operation.verb = Verb::kExit;
    return operation;
}

// Callers A, B, ..., each in a group of its own.
[[nodiscard]] inline WorldConfig world_of(const std::vector<std::vector<Operation>>& scripts) {
    WorldConfig world;
    world.keys = {"db"};
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + i));
        caller.script = scripts[i];
        caller.group = static_cast<std::uint8_t>(i);
        world.callers.push_back(caller);
    }
    return world;
}

[[nodiscard]] inline Action step_of(std::uint8_t caller) { return {caller, ActionKind::kStep, 0}; }
[[nodiscard]] inline Action crash_of(std::uint8_t caller) {
    return {caller, ActionKind::kCrash, 0};
}

template <class I>
class Walk {
  public:
    using State = typename World<I>::State;

    Walk(I implementation, WorldConfig config)
        : world_(std::move(implementation), std::move(config)), state_(world_.initial()) {}

    [[nodiscard]] const World<I>& world() const { return world_; }
    [[nodiscard]] const State& state() const { return state_; }
    [[nodiscard]] State& state() { return state_; }

    [[nodiscard]] std::vector<Action> actions() const {
        ActionList list;
        world_.enabled(state_, list);
        return {list.begin(), list.end()};
    }
    // Returns the enabled actions as a schedule writes them: "s0,b1.2,x0,r".
    [[nodiscard]] std::string enabled() const {
        std::string text;
        for (const Action action : actions()) {
            text += (text.empty() ? "" : ",") + to_text(action);
        }
        return text;
    }
    [[nodiscard]] bool can(Action action) const {
        ActionList list;
        world_.enabled(state_, list);
        return list.contains(action);
    }

    Event apply(Action action) {
        LOCKKEEPER_CHECK(can(action));
        return world_.apply(state_, action);
    }
    Event apply(const std::string& text) { return apply(std::get<Action>(parse_action(text))); }
    Event step(std::uint8_t caller = 0) { return apply(step_of(caller)); }
    Event steps(std::uint8_t caller, int times) {
        Event event;
        for (int i = 0; i < times; ++i) {
            event = step(caller);
        }
        return event;
    }
    Event crash(std::uint8_t caller = 0) { return apply(crash_of(caller)); }

    // Takes steps until the call that begins (or goes on) with the next step returns.
    Event call(std::uint8_t caller = 0) {
        constexpr std::uint32_t kReturns =
            kAcquired | kRefused | kReleased | kCallerDied | kCrashed;
        for (int i = 0; i < kStepsMax; ++i) {
            if (!can(step_of(caller))) {
                step_background();
                continue;
            }
            const Event event = step(caller);
            if ((event.what & kReturns) != 0) {
                return event;
            }
        }
        unreachable("a call that never returns");
    }

    // Takes the first background action, again and again, until there is none.
    void drain() {
        for (int i = 0; i < kStepsMax; ++i) {
            if (!step_background()) {
                return;
            }
        }
        unreachable("a background without end");
    }
    bool step_background() {
        for (const Action action : actions()) {
            if (action.kind == ActionKind::kBackground) {
                last_background_ = world_.apply(state_, action);
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] const Event& last_background() const { return last_background_; }

    [[nodiscard]] Observation seen() const {
        Observation observation{};
        world_.observe(state_, observation);
        return observation;
    }
    [[nodiscard]] std::uint32_t believed(std::size_t key = 0) const {
        return seen().keys[key].believed;
    }
    [[nodiscard]] std::vector<std::int32_t> counters(std::size_t key = 0) const {
        return seen().keys[key].counters;
    }
    [[nodiscard]] std::string show() const { return world_.show(state_); }
    // Describes the caller's next step.
    [[nodiscard]] std::string next(std::uint8_t caller = 0) const {
        return world_.describe(state_, step_of(caller));
    }
    // Describes the first background action.
    [[nodiscard]] std::string next_background() const {
        for (const Action action : actions()) {
            if (action.kind == ActionKind::kBackground) {
                return world_.describe(state_, action);
            }
        }
        return "nothing";
    }

  private:
    static constexpr int kStepsMax = 10'000;
    World<I> world_;
    State state_;
    Event last_background_;
};

}  // namespace lockkeeper::testing_model

// SPDX-License-Identifier: Apache-2.0

// Livelock where callers that only their names tell apart take each other's place: what goes round
// among representatives may be two callers by turns, or one that keeps the other aside.
#include <utility>

#include <gtest/gtest.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using testing_scheduler::runner_of;

// Two callers alike, inside a call all the time: one is in front, one behind. The one in front
// steps; then the other is in front, or it stays so itself. Whoever is behind may end everything.
struct TakingTurns {
    static constexpr Hints kHints{.symmetry = true, .parts = Hints::Parts::kCompiled};
    static constexpr std::size_t kSlotsMax = 2;
    [[nodiscard]] static constexpr PartLayout parts() { return {8, kSlotsMax, 8}; }
    struct State {
        std::uint64_t is_in_front[2];
        std::uint64_t has_ended;
        std::uint64_t rest;
    };

    bool by_turns = true;

    [[nodiscard]] static std::size_t slots_count() { return 2; }
    [[nodiscard]] static std::uint8_t group(std::size_t) { return 0; }
    [[nodiscard]] static State initial() { return {{0, 1}, 0, 0}; }
    static void canonicalize(State& state) {
        if (state.is_in_front[0] > state.is_in_front[1]) {
            std::swap(state.is_in_front[0], state.is_in_front[1]);
        }
    }
    static void enabled(const State& state, ActionList& out) {
        out.clear();
        if (state.has_ended == 0) {
            out.add({0, ActionKind::kStep, 0});
            out.add({1, ActionKind::kStep, 0});
        }
    }
    Event apply(State& state, Action action) const {
        if (state.is_in_front[action.actor] == 0) {
            state.has_ended = 1;
        } else if (by_turns) {
            std::swap(state.is_in_front[0], state.is_in_front[1]);
        }
        Event event;
        event.caller = action.actor;
        return event;
    }
    static void observe(const State& state, Observation& out) {
        out = {};
        out.callers_count = 2;
        out.callers[0].calling = out.callers[1].calling = state.has_ended == 0;
    }
    [[nodiscard]] static bool quiescent(const State&) { return false; }
    [[nodiscard]] static bool finished(const State& state) { return state.has_ended != 0; }
    [[nodiscard]] static std::string describe(const State&, Action action) {
        return to_text(action);
    }
    [[nodiscard]] static std::string show(const State& state) {
        return std::to_string(state.is_in_front[1]);
    }
};
static_assert(System<TakingTurns>);

ExploreResult searched(const TakingTurns& system, bool symmetry) {
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.symmetry = symmetry;
    return runner_of(system)->explore(options);
}

TEST(LivelockUnderSymmetry, TwoThatTakeTurnsAreFoundThoughOnePlaceNeverMoves) {
    for (const bool symmetry : {false, true}) {
        const ExploreResult result = searched(TakingTurns{true}, symmetry);
        EXPECT_EQ(result.states, symmetry ? 2U : 4U);
        ASSERT_EQ(result.violations.size(), 1U);
        EXPECT_EQ(result.violations.front().cycle_start, 0U);
        EXPECT_EQ(result.violations.front().schedule.actions.size(), 2U) << "one step of each";
    }
}

TEST(LivelockUnderSymmetry, OneThatKeepsTheOtherAsideIsNone) {
    for (const bool symmetry : {false, true}) {
        const ExploreResult result = searched(TakingTurns{false}, symmetry);
        EXPECT_TRUE(result.complete);
        EXPECT_TRUE(result.violations.empty());
        EXPECT_EQ(result.acyclic, std::optional(false));
    }
}

}  // namespace
}  // namespace lockkeeper

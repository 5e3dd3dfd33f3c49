// SPDX-License-Identifier: Apache-2.0

// The determinism check against Systems that break the contract of apply() on purpose.
#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

// Where a System keeps what it must not keep.
struct Hidden {
    int calls = 0;
};

// A line of ten nodes, and a state that hidden calls of apply() can be seen in.
struct LineWithMemory {
    struct State {
        std::uint32_t node;
        std::uint32_t smuggled;
    };
    // When the number of calls so far leaks into the state, or into what is possible.
    enum class Leak : std::uint8_t { kNothing, kEveryCall, kFirstRunOnly };

    Leak leak = Leak::kNothing;
    std::shared_ptr<Hidden> hidden = std::make_shared<Hidden>();

    State initial() const { return {}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        if (state.node < 10) {
            const bool first_run = leak == Leak::kFirstRunOnly && hidden->calls < 10;
            out.add({0, ActionKind::kStep, static_cast<std::uint16_t>(first_run ? 1 : 0)});
        }
    }
    Event apply(State& state, Action) const {
        ++state.node;
        ++hidden->calls;
        if (leak == Leak::kEveryCall && hidden->calls % 3 == 0) {
            state.smuggled = 1;
        }
        return {};
    }
    void observe(const State&, Observation& out) const { out = Observation{}; }
    bool quiescent(const State&) const { return false; }
    bool finished(const State& state) const { return state.node == 10; }
    std::string describe(const State&, Action action) const { return to_text(action); }
    std::string show(const State& state) const { return std::to_string(state.node); }
};

FuzzResult checked(LineWithMemory::Leak leak) {
    LineWithMemory system;
    system.leak = leak;
    FuzzOptions options;
    options.check_determinism = true;
    options.schedules_max = 20;
    options.strategy = "random";
    return runner_of(system)->fuzz(options);
}

TEST(DeterminismCheck, PassesWhoKeepsNothing) {
    EXPECT_TRUE(std::holds_alternative<Passed>(checked(LineWithMemory::Leak::kNothing).verdict));
}

TEST(DeterminismCheck, CatchesApplyThatReadsHiddenMutableState) {
    const FuzzResult result = checked(LineWithMemory::Leak::kEveryCall);
    ASSERT_TRUE(std::holds_alternative<Diverged>(result.verdict));
    EXPECT_EQ(result.limit, "nondeterminism");
    EXPECT_EQ(result.schedules, 1U);
    // The run made calls 1 to 10; then 11 and 12 make the first steps of the two copies: the
    // second one, call 12, is smuggled into. Seen before step 2.
    EXPECT_THAT(std::get<Diverged>(result.verdict).detail,
                ::testing::HasSubstr("nondeterminism at step 2 of lk1:"));
}

// Both repetitions agree with each other and not with the run: its actions are not possible.
TEST(DeterminismCheck, CatchesWhatChangesAfterTheRecordedRunOnly) {
    const FuzzResult result = checked(LineWithMemory::Leak::kFirstRunOnly);
    ASSERT_TRUE(std::holds_alternative<Diverged>(result.verdict));
    EXPECT_THAT(std::get<Diverged>(result.verdict).detail,
                ::testing::HasSubstr("nondeterminism at step 1 of lk1:"));
}

}  // namespace
}  // namespace lockkeeper

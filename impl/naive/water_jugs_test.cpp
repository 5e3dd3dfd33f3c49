// SPDX-License-Identifier: Apache-2.0

// The contract of model/system.hpp, tried with something that is no lock.
#include "impl/naive/water_jugs.hpp"

#include <set>

#include <gtest/gtest.h>

#include "model/schedule.hpp"

namespace lockkeeper::naive {
namespace {

using Litres = std::array<std::uint8_t, 2>;

void visit(const WaterJugs& jugs, const WaterJugs::State& state, std::set<Litres>& seen,
           std::size_t& transitions) {
    if (!seen.insert(state.litres).second) {
        return;
    }
    ActionList actions;
    jugs.enabled(state, actions);
    for (const Action action : actions) {
        ++transitions;
        WaterJugs::State next = state;
        jugs.apply(next, action);
        visit(jugs, next, seen, transitions);
    }
}

// Every action leaves one jug empty or full, so at most the border of the 4 x 6 grid of litres can
// be reached: 24 - 2 * 4 = 16. All of it is: filling the small jug and pouring it over gives 3,
// then 6 - 5 = 1 with the large one full, 1, 4, 7 - 5 = 2, 2, 5 ...: since 3 and 5 have no common
// divisor, every number of litres comes about, beside an empty jug and beside a full one.
TEST(WaterJugs, have_the_16_states_of_the_border) {
    const WaterJugs jugs;
    std::set<Litres> seen;
    std::size_t transitions = 0;
    visit(jugs, jugs.initial(), seen, transitions);
    EXPECT_EQ(seen.size(), 16U);
    for (const Litres& litres : seen) {
        EXPECT_TRUE(litres[0] % 3 == 0 || litres[1] % 5 == 0);
    }
    // [0,0] and [3,5] change either jug: 2 each. [3,0] and [0,5] do, and pour one way: 3 each. In
    // the 12 others one jug is partly full (fill, empty), the other is empty or full (the one or
    // the other), and something pours from the fuller: 4 each. 2 + 2 + 3 + 3 + 12 * 4 = 58.
    EXPECT_EQ(transitions, 58U);
}

// Level by level: fill large, pour, empty small, pour, fill large, pour. Five do not suffice.
TEST(WaterJugs, measure_four_litres_in_six_steps) {
    const WaterJugs jugs;
    std::set<Litres> known{jugs.initial().litres};
    std::set<Litres> level = known;
    int steps = 0;
    while (!level.empty() && std::none_of(level.begin(), level.end(), [&](const Litres& litres) {
        return jugs.finished({litres});
    })) {
        std::set<Litres> next;
        for (const Litres& litres : level) {
            ActionList actions;
            jugs.enabled({litres}, actions);
            for (const Action action : actions) {
                WaterJugs::State after{litres};
                jugs.apply(after, action);
                if (known.insert(after.litres).second) {
                    next.insert(after.litres);
                }
            }
        }
        level = next;
        ++steps;
    }
    EXPECT_EQ(steps, 6);
}

TEST(WaterJugs, follow_a_schedule_and_say_what_happens) {
    const WaterJugs jugs;
    WaterJugs::State state = jugs.initial();
    std::string told;
    Event event;
    const auto schedule = std::get<Schedule>(parse_schedule("lk1:0:b1.0,b1.2,b0.1,b1.2,b1.0,b1.2"));
    for (const Action action : schedule.actions) {
        ActionList actions;
        jugs.enabled(state, actions);
        ASSERT_TRUE(actions.contains(action)) << to_text(action);
        told += jugs.describe(state, action) + " ";
        event = jugs.apply(state, action);
        told += jugs.show(state) + "\n";
    }
    EXPECT_EQ(told,
              "fill the large jug [0,5]\n"
              "pour out the large jug [3,2]\n"
              "empty the small jug [0,2]\n"
              "pour out the large jug [2,0]\n"
              "fill the large jug [2,5]\n"
              "pour out the large jug [3,4]\n");
    EXPECT_TRUE(event.is(kAcquired));
    EXPECT_EQ(event.value, 4);
    EXPECT_TRUE(jugs.finished(state));
    Observation observation;
    jugs.observe(state, observation);
    EXPECT_EQ(observation.keys[0].counters.size(), 2U);
    EXPECT_EQ(observation.keys[0].counters[0], 3);
    EXPECT_EQ(observation.keys[0].counters[1], 4);
}

TEST(WaterJugs, offer_only_what_changes_something_and_always_something) {
    const WaterJugs jugs;
    std::set<Litres> seen;
    std::size_t transitions = 0;
    visit(jugs, jugs.initial(), seen, transitions);
    for (const Litres& litres : seen) {
        ActionList actions;
        jugs.enabled({litres}, actions);
        EXPECT_FALSE(actions.empty());
        for (const Action action : actions) {
            WaterJugs::State after{litres};
            jugs.apply(after, action);
            EXPECT_NE(after.litres, litres);
        }
    }
}

}  // namespace
}  // namespace lockkeeper::naive

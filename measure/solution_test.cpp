// SPDX-License-Identifier: Apache-2.0
#include "measure/solution.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "measure/chains_test.hpp"
#include "measure/measure.hpp"

namespace lockkeeper::testing_measure {
namespace {

Collecting hits() {
    Collecting what;
    what.by_label = {0, 1};
    what.cut.label_stops = {false, true};
    return what;
}

// Positions 0 .. goal; state i is position i + 1, the ends are the last two states.
Chain walk(StateIndex goal, double up) {
    Chain chain;
    const StateIndex lost = goal - 1;
    const StateIndex won = goal;
    for (StateIndex state = 0; state + 1 < goal; ++state) {
        const bool last = state + 2 == goal;
        chain.add_state({{state == 0 ? lost : state - 1, 1 - up, {0, false, false}},
                         {last ? won : state + 1, up, {last ? 1U : 0U, false, false}}});
    }
    chain.add_state({});
    chain.add_state({});
    return chain;
}

Solution solve_by(const Chain& chain, const Collecting& what, std::size_t direct_states_max) {
    SolverLimits limits;
    limits.direct_states_max = direct_states_max;
    return solve(chain, components_of(chain, {}), what, limits);
}

TEST(Solution, DirectAndIterativeAgreeWithTheClosedFormWithinTheirBounds) {
    for (const double up : {0.5, 0.4, 0.7}) {
        const Chain chain = walk(60, up);
        const double r = (1 - up) / up;
        for (const std::size_t direct : {std::size_t{0}, std::size_t{1000}}) {
            const Solution solution = solve_by(chain, hits(), direct);
            for (StateIndex i = 1; i < 60; ++i) {
                const double expected =
                    up == 0.5 ? i / 60.0
                              : (1 - std::pow(r, static_cast<double>(i))) / (1 - std::pow(r, 60.0));
                ASSERT_NEAR(solution.values[i - 1] / expected, 1, 1e-9);
                ASSERT_LE(solution.low(i - 1), expected * (1 + 1e-13));
                ASSERT_GE(solution.high(i - 1), expected * (1 - 1e-13));
                ASSERT_LE(static_cast<double>(solution.errors[i - 1]), 1e-9);
            }
        }
    }
}

// Two states that are left once in a billion steps, one way or the other.
TEST(Solution, AComponentThatIsSeldomLeftKeepsItsDigits) {
    const double seldom = 1e-9;
    Chain chain;
    chain.add_state({{1, 1 - seldom, {}}, {2, seldom, {1, false, false}}});
    chain.add_state({{0, 1 - 3 * seldom, {}}, {3, 3 * seldom, {}}});
    chain.add_state({});
    chain.add_state({});
    const Solution solution = solve_by(chain, hits(), 1000);
    // x0 = s + (1 - s) x1, x1 = (1 - 3 s) x0
    EXPECT_NEAR(solution.values[0] * (4 - 3 * seldom), 1, 1e-9);
    EXPECT_LE(static_cast<double>(solution.errors[0]), 1e-9);
}

TEST(Solution, WhatIsNeverReachedIsZeroAndWhatNeverEndsIsInfinite) {
    Chain chain;
    chain.labels = {{0, false, false}, {1, false, false}};
    chain.add_state({{1, 0.5, {}}, {3, 0.5, {1, false, false}}});
    chain.add_state({{2, 1, {}}});
    chain.add_state({{1, 1, {}}});
    chain.add_state({});
    const Solution reached = solve_by(chain, hits(), 1000);
    EXPECT_EQ(reached.values[1], 0);
    EXPECT_EQ(reached.errors[1], 0);
    EXPECT_EQ(reached.values[0], 0.5);
    const std::vector<double> stays(4, 1.0);
    Collecting time;
    time.by_state = stays;
    const Solution lasts = solve_by(chain, time, 1000);
    EXPECT_EQ(lasts.values[0], kInfinity);
    EXPECT_EQ(lasts.values[3], 0);
}

// The end may be reached by way of what was waited for, and that is no reason to wait for ever.
TEST(Solution, WaitingIsFiniteWhereNoWayLeadsPastIt) {
    Chain chain;
    chain.labels = {{0, false, false}, {1, false, false}};
    chain.add_state({{1, 0.5, {}}, {0, 0.5, {}}});
    chain.add_state({{0, 0.5, {1, false, false}}, {2, 0.5, {1, false, false}}});
    chain.add_state({});
    const std::vector<double> stays(3, 2.0);
    Collecting what = hits();
    what.by_label.clear();
    what.by_state = stays;
    what.at_end = kInfinity;
    const Solution solution = solve_by(chain, what, 1000);
    EXPECT_NEAR(solution.values[0], 6, 1e-12);
    EXPECT_EQ(solution.values[2], kInfinity);
}

TEST(Solution, AnInterruptedIterationSaysSo) {
    SolverLimits limits;
    limits.direct_states_max = 0;
    limits.deadline = std::chrono::steady_clock::time_point::min();
    const Chain chain = walk(60, 0.5);
    const Solution solution = solve(chain, components_of(chain, {}), hits(), limits);
    EXPECT_EQ(solution.low(0), 0);
    EXPECT_EQ(solution.high(0, 1), 1);
}

// A drift away from the only way out: no iteration would see it in a lifetime.
TEST(Solution, WhatIsLeftTooSeldomForAnIterationHasNoProofAndSaysSo) {
    SolverLimits limits;
    limits.direct_states_max = 0;
    limits.work_max = 1'000'000;
    Chain chain = walk(60, 0.1);
    chain.probabilities[0] = 0.5;  // at the lower end: up, or the same again
    chain.targets[0] = 0;
    chain.probabilities[1] = 0.5;
    const Solution solution = solve(chain, components_of(chain, {}), hits(), limits);
    EXPECT_LE(solution.low(0), 1);
    EXPECT_EQ(solution.high(0, 1), 1);
    EXPECT_GE(static_cast<double>(solution.errors[0]), 0.5);
}

Chain random_chain() {
    const auto size = *rc::gen::inRange<StateIndex>(2, 12);
    Chain chain;
    chain.labels = {{0, false, false}, {1, false, false}};
    for (StateIndex state = 0; state < size; ++state) {
        const auto degree = *rc::gen::inRange(0, 4);
        std::vector<Transition> row;
        for (int i = 0; i < degree; ++i) {
            const bool shows = *rc::gen::inRange(0, 6) == 0;
            row.push_back({*rc::gen::inRange<StateIndex>(0, size),
                           1.0 / degree,
                           {shows ? 1U : 0U, false, false}});
        }
        chain.add_state(row);
    }
    return chain;
}

// The naive twin: so many sweeps from zero that nothing moves.
std::vector<double> by_sweeping(const Chain& chain) {
    std::vector<double> x(chain.size(), 0);
    for (int sweep = 0; sweep < 20'000; ++sweep) {
        for (StateIndex state = 0; state < chain.size(); ++state) {
            double sum = 0;
            for (std::uint64_t i = chain.offsets[state]; i < chain.offsets[state + 1U]; ++i) {
                sum += chain.probabilities[i] *
                       (chain.label(i).violated != 0 ? 1 : x[chain.targets[i]]);
            }
            x[state] = sum;
        }
    }
    return x;
}

RC_GTEST_PROP(SolutionProperty, EveryMethodAgreesWithSweepingOnRandomChains, ()) {
    const Chain chain = random_chain();
    const std::vector<double> expected = by_sweeping(chain);
    for (const std::size_t direct : {std::size_t{0}, std::size_t{1000}}) {
        const Solution solution = solve_by(chain, hits(), direct);
        for (StateIndex state = 0; state < chain.size(); ++state) {
            RC_ASSERT(std::abs(solution.values[state] - expected[state]) < 1e-9);
            RC_ASSERT(static_cast<double>(solution.errors[state]) < 1e-9);
        }
    }
}

}  // namespace
}  // namespace lockkeeper::testing_measure

// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/graph/litmus_test.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace lockkeeper::threads {
namespace {

bool is_met(const SmallResult& result, const std::string& outcome) {
    return std::any_of(result.outcomes.begin(), result.outcomes.end(), [&](const auto& met) {
        const std::string& text = met.first;
        return text == outcome || (text.starts_with(outcome) &&
                                   (text.size() == outcome.size() || text[outcome.size()] == ' '));
    });
}

TEST(Litmus, OutcomesAreThoseOfTheModels) {
    EXPECT_GE(litmus_tests().size(), 60U);
    for (const Litmus& test : litmus_tests()) {
        const SmallResult sc = explore_small(test.program, Model::kSc);
        const SmallResult c11 = explore_small(test.program, Model::kC11);
        EXPECT_EQ(is_met(sc, test.outcome), test.in_sc) << test.name << ", sc, " << test.source;
        EXPECT_EQ(is_met(c11, test.outcome), test.in_c11) << test.name << ", c11, " << test.source;
    }
}

// The twin that judges by the axioms has the same executions of each of them.
TEST(Litmus, ExecutionsAreThoseOfTheAxioms) {
    for (const Litmus& test : litmus_tests()) {
        const SmallResult naive = naive_c11(test.program);
        const SmallResult found = explore_small(test.program, Model::kC11);
        EXPECT_EQ(naive.graphs.size(), found.graphs.size()) << test.name;
        for (const auto& [graph, times] : found.graphs) {
            EXPECT_EQ(times, 1) << test.name << ": " << graph;
            EXPECT_EQ(naive.graphs.count(graph), 1U) << test.name << ": " << graph;
        }
    }
}

}  // namespace
}  // namespace lockkeeper::threads

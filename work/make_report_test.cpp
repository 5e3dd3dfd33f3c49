// SPDX-License-Identifier: Apache-2.0
#include "work/make_report.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

Trace cut_trace(std::size_t steps) {
    Trace trace;
    trace.is_cut = true;
    trace.steps.resize(steps);
    for (std::uint32_t step = 0; step < steps; ++step) {
        trace.history.push_back({step});
    }
    trace.messages.resize(2);
    trace.messages[0].sent = 10'000;
    trace.messages[0].arrives = 10'001;
    trace.messages[1].sent = 10'001;
    trace.overlaps.resize(2);
    trace.overlaps[0].first_step = 9'999;
    trace.overlaps[0].last_step = 10'002;
    trace.overlaps[1].first_step = 10'001;
    return trace;
}

// Whoever ends a run does not wait for the writing of millions of steps.
TEST(RunReport, ARunThatIsEndedKeepsItsFirstSteps) {
    RunReport report;
    add_run({}, cut_trace(10'002), OnDivergence::kStop, report);
    EXPECT_EQ(10'000U, report.replayed->steps.size());
    EXPECT_EQ(10'000U, report.replayed->history.size());
    ASSERT_EQ(1U, report.replayed->messages.size());
    EXPECT_EQ(0U, report.replayed->messages.front().arrives);
    ASSERT_EQ(1U, report.replayed->overlaps.size());
    EXPECT_EQ(10'000U, report.replayed->overlaps.front().last_step);
    EXPECT_EQ(
        "inconclusive: ended by limit: time, after step 10002, of which the first 10000 are kept",
        verdict_text(report.verdict));
}

TEST(RunReport, ARunThatIsEndedKeepsItsLastViolation) {
    Trace trace = cut_trace(10'010);
    trace.steps[10'003].violates = {find_property("leak")};
    RunReport report;
    add_run({}, std::move(trace), OnDivergence::kStop, report);
    EXPECT_EQ(10'004U, report.replayed->steps.size());
    Trace whole = cut_trace(10'010);
    whole.is_cut = false;
    add_run({}, std::move(whole), OnDivergence::kStop, report);
    EXPECT_EQ(10'010U, report.replayed->steps.size());
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// When `auto` searches again, and what it makes of both searches. What each search answers the test
// says; real ones are compared in impl/descriptor/auto_reduction_property_test.cpp.
#include "scheduler/auto_reduction.hpp"

#include <vector>

#include "app/command_test.hpp"
#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

FoundViolation leak_after(std::size_t steps) {
    FoundViolation violation;
    violation.property = find_property("leak");
    violation.schedule.actions.resize(steps);
    return violation;
}

// The first search comes to its end of states with `before`, the others with what `again` says.
class AutoReductionOfFakes : public ::testing::Test {
  protected:
    AutoReductionOfFakes() {
        options_.automatic.is_on = true;
        options_.automatic.states_before = 10;
        options_.check = {find_property("leak")};
        runner_.on_possible = [this](const ExploreOptions& options) {
            return options.reduction == can_ ||
                           (is_in_relative_time(options.reduction) && is_in_relative_time(can_))
                       ? can_
                       : Reduction::kNone;
        };
        runner_.on_explore = [this](const ExploreOptions& options) {
            searches_.push_back(options.reduction);
            ExploreResult result;
            result.reduction = options.reduction;
            result.complete = searches_.size() > 1;
            result.states = result.complete ? 7 : options.states_max;
            result.seconds = 1;
            if (answer_) {
                answer_(options, result);
            }
            if (!result.violations.empty()) {
                const Schedule& schedule = result.violations.front().schedule;
                result.verdict = Violated{"", "leak", schedule, kNoStep};
            }
            return result;
        };
    }

    Reduction can_ = Reduction::kPrivateSteps;
    ExploreOptions options_;
    FakeRunner runner_;
    std::vector<Reduction> searches_;
    std::function<void(const ExploreOptions&, ExploreResult&)> answer_;
};

TEST_F(AutoReductionOfFakes, ALargeScopeIsSearchedAgainWithWhatIsSound) {
    std::string hint;
    options_.hint = [&](const std::string& text) { hint = text; };
    const ExploreResult result = runner_.explore(options_);
    EXPECT_EQ(searches_, (std::vector{Reduction::kNone, Reduction::kPrivateSteps}));
    EXPECT_EQ(result.states_before, 10U);
    EXPECT_EQ(result.seconds_before, 1.0);
    EXPECT_EQ(hint, "more than 10 states: the search begins again with private-steps");
}

TEST_F(AutoReductionOfFakes, ASearchThatEndsByItselfOrByAViolationIsTheOnlyOne) {
    answer_ = [](const ExploreOptions&, ExploreResult& result) { result.complete = true; };
    EXPECT_EQ(runner_.explore(options_).states_before, 0U);
    answer_ = [](const ExploreOptions&, ExploreResult& result) {
        result.stopped_at_violation = true;
    };
    EXPECT_EQ(runner_.explore(options_).states_before, 0U);
    answer_ = [](const ExploreOptions&, ExploreResult& result) { result.end_at("time"); };
    searches_.clear();
    options_.states_max = 10;  // as the user says
    EXPECT_EQ(runner_.explore(options_).states_before, 0U);
    EXPECT_EQ(searches_.size(), 1U);
}

TEST_F(AutoReductionOfFakes, WhatTheFirstSearchHasFoundKeepsItsLengthAndIsToldOnce) {
    std::size_t told = 0;
    options_.found = [&](const FoundViolation&) { ++told; };
    answer_ = [](const ExploreOptions& options, ExploreResult& result) {
        result.violations = {leak_after(result.complete ? 5 : 3)};
        options.found(result.violations.front());
    };
    const ExploreResult result = runner_.explore(options_);
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations[0].schedule.actions.size(), 3U);
    EXPECT_EQ(std::get<Violated>(result.verdict).schedule.actions.size(), 3U);
    EXPECT_EQ(told, 1U);
}

TEST_F(AutoReductionOfFakes, WhatTheClockCannotTellIsSearchedByTheClock) {
    can_ = Reduction::kRelativeTime;
    answer_ = [](const ExploreOptions& options, ExploreResult& result) {
        result.beyond_clock = options.reduction == Reduction::kRelativeTime;
    };
    const ExploreResult result = runner_.explore(options_);
    EXPECT_EQ(searches_,
              (std::vector{Reduction::kNone, Reduction::kRelativeTime, Reduction::kNone}));
    EXPECT_EQ(result.seconds_before, 2.0);
    // Whoever asks for relative time gets the same answer, without the first search.
    searches_.clear();
    options_.reduction = Reduction::kRelativeTime;
    const ExploreResult asked = runner_.explore(options_);
    EXPECT_EQ(searches_, (std::vector{Reduction::kRelativeTime, Reduction::kNone}));
    EXPECT_EQ(asked.seconds_before, 1.0);
}

TEST_F(AutoReductionOfFakes, AShortestLengthThatIsAskedForExcludesPrivateSteps) {
    EXPECT_EQ(plan_of(runner_, options_).further, Reduction::kPrivateSteps);
    options_.automatic.wants_shortest = true;
    EXPECT_EQ(plan_of(runner_, options_).further, Reduction::kNone);
    options_.automatic.wants_shortest = false;
    options_.depth_max = 20;
    EXPECT_EQ(plan_of(runner_, options_).further, Reduction::kNone);
}

TEST(AutoReductionPlan, UsesWhatPays) {
    const auto plan = [](const std::string& rest) {
        const std::string text =
            R"({"version": 1, "callers": [{"name": "A", "count": 2, "script": [
                {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}], )" +
            rest + "}";
        const Job job = std::get<Job>(
            make_job(shipped_systems(), std::get<Scenario>(parse_scenario(text, "in_a_test"))));
        return plan_of(*job.runner, explore_options_of(job)).further;
    };
    const std::string canal = R"("system": "canal", "check": ["over-allocation"])";
    // canal_sizes.hpp: under sanitizers it has no searches of its own.
    EXPECT_EQ(plan(canal),
              testing_model::kIsSanitized ? Reduction::kNone : Reduction::kPrivateSteps);
    EXPECT_EQ(plan(canal + R"(, "faults": {"crashes": 1})"), Reduction::kNone);
    EXPECT_EQ(plan(R"("system": "canal", "check": ["under-allocation"])"), Reduction::kNone);
    const std::string leases = R"("system": "lease_coordinator", "check": [])";
    EXPECT_EQ(plan(leases), Reduction::kFaultsLeftAndRelativeTime) << "by the time that is left";
    EXPECT_EQ(plan(leases + R"(, "faults": {"crashes": 1})"),
              Reduction::kFaultsLeftAndRelativeTime);
    const std::string waits = leases + R"(, "parameters": {"wait": 10})";
    EXPECT_EQ(plan(waits), Reduction::kNone);
    EXPECT_EQ(plan(waits + R"(, "faults": {"crashes": 1})"), Reduction::kNone);
    EXPECT_EQ(plan(waits + R"(, "faults": {"deletions": 1})"), Reduction::kFaultsLeft);
    const std::string monglock = R"("system": "monglock_write", "check": [])";
    EXPECT_EQ(plan(monglock), Reduction::kRelativeTime);
    EXPECT_EQ(plan(monglock + R"(, "faults": {"crashes": 1, "resends": 1})"),
              Reduction::kFaultsLeftAndRelativeTime);
}

TEST_F(AutoReductionOfFakes, WhereEachStateIsNeededThereIsOneSearchAndAReason) {
    using Change = std::function<void(ExploreOptions&)>;
    const std::vector<std::pair<Change, std::string_view>> all{
        {[](auto& it) { it.automatic.every_state_for = "pinned"; }, "pinned"},
        {[](auto& it) { it.each_state = [](std::string_view) {}; }, "each state is written"},
        {[](auto& it) { it.counting = Counting::kOn; }, "interleavings are counted"},
        {[](auto& it) { it.causes_max = 2; }, "every cause is looked for"},
        {[](auto& it) { it.frontier = Frontier::kStack; }, "the search is depth first"},
        {[](auto& it) { it.checkpoint.save_to = "file"; }, "a checkpoint has one search"},
        {[](auto& it) { it.checkpoint.resume_from = "file"; }, "a checkpoint has one search"},
        {[](auto& it) { it.disk.directory = "here"; }, "a directory of states has one search"},
        {[](auto& it) { it.check = {find_property("livelock")}; },
         "livelock needs the whole graph"}};
    for (const auto& [change, why] : all) {
        ExploreOptions options = options_;
        change(options);
        EXPECT_EQ(plan_of(runner_, options).why_none, why);
        searches_.clear();
        EXPECT_EQ(runner_.explore(options).states_before, 0U) << why;
        EXPECT_EQ(searches_, std::vector{Reduction::kNone}) << why;
    }
}

}  // namespace
}  // namespace lockkeeper

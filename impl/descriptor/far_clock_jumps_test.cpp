// SPDX-License-Identifier: Apache-2.0

// Clocks that jump back before the first number of virtual time: a unit of time
// (scenarios/registry/time_units.hpp) keeps them from being cut off there.
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

// Times of the lock and of a jump; `more` stands in the settings of a client.
std::variant<Job, InputError> job_with(int lock_timeout, int jump, const std::string& more = "") {
    const std::string text =
        R"({"version": 1, "system": "monglock_multi_broken", "variant": "gives_up_unanswered",
            "parameters": {"locktimeout": )" +
        std::to_string(lock_timeout) + R"(, "jump": )" + std::to_string(jump) + R"(}, "callers": [
                {"name": "A")" +
        more + R"(, "script": [{"acquire": {"key": "a"}}, {"release": {"key": "a"}}]},
                {"name": "B", "script": [{"acquire": {"key": "a"}}]}],
            "faults": {"clock_jumps": 1}, "check": ["false-ok"]})";
    return make_job(systems(), std::get<Scenario>(parse_scenario(text, "in_a_test.json")));
}

// The length of the first violation with a lock timeout and a jump of so much.
std::size_t steps_to_false_ok(int time) {
    const auto made = job_with(time, time);
    const Job& job = std::get<Job>(made);
    ExploreOptions options = explore_options_of(job);
    options.reduction = Reduction::kNone;
    const ExploreResult result = job.runner->explore(options);
    return result.violations.empty() ? 0 : result.violations.front().schedule.actions.size();
}

// The clock jumps back at the beginning. Cut off at -999 it had to wait for its jump: 10 steps.
TEST(FarClockJumps, AreFoundWhereTheClockWouldShowATimeBeforeTheFirstNumber) {
    EXPECT_EQ(8U, steps_to_false_ok(14));
    EXPECT_EQ(8U, steps_to_false_ok(2'000));
    EXPECT_EQ(8U, steps_to_false_ok(60'000));
}

// Nothing is cut off, and nobody is told of a pass without what was cut off.
TEST(FarClockJumps, AreRefusedWhereNoUnitDividesAllTimes) {
    const auto place_of = [](const std::variant<Job, InputError>& made) {
        const auto* const error = std::get_if<InputError>(&made);
        return error == nullptr ? "taken" : error->pointer;
    };
    EXPECT_EQ("taken", place_of(job_with(5'000, 999)));
    EXPECT_EQ("/parameters/jump", place_of(job_with(5'000, 1'001)));
    const std::string drift = R"(, "settings": {"drift": 1})";
    EXPECT_EQ("taken", place_of(job_with(5'000, 500, drift)));
    EXPECT_EQ("/parameters/jump", place_of(job_with(5'000, 5'000, drift)));
}

}  // namespace
}  // namespace lockkeeper

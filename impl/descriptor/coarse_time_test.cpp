// SPDX-License-Identifier: Apache-2.0

// Times that a unit brings together: no search between them is complete.
#include "scenarios/registry/coarse_time.hpp"

#include <string>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

// The loss and what its holder hears of it differ by less than a unit of 1,000, and by more than
// one of 10. `free-late` is not checked: its number only makes the unit.
TEST(CoarseTime, WhatLiesBetweenTwoTimesThatAUnitBringsTogetherIsALimitAndNoPass) {
    const auto found = [](const std::string& free_within, Reduction reduction) {
        const std::string text =
            R"({"version": 1, "system": "lease_coordinator", "variant": "repaired",
            "parameters": {"ttl": 3000, "until": 15000, "grace": 1000, "pause": 2000, "delay": 2000,
                "told_within": 0, "free_within": )" +
            free_within + R"(}, "faults": {"lost_requests": 1}, "check": ["told-late"],
            "callers": [
            {"script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}],
                "settings": {"clock": 3000}},
            {"script": [{"sleep": {"time": 2000}}, {"acquire": {"key": "db"}},
                {"call": {"what": "write", "key": "db"}}]}]})";
        const Job job = std::get<Job>(
            make_job(systems(), std::get<Scenario>(parse_scenario(text, "in_a_test.json"))));
        EXPECT_EQ(free_within == "4000" ? 10 : 1'000, unit_of(job));
        ExploreOptions options = explore_options_of(job);
        options.reduction = reduction;
        return job.runner->explore(options);
    };
    for (const Reduction reduction : {Reduction::kNone, Reduction::kFaultsLeftAndRelativeTime}) {
        SCOPED_TRACE(word_of(reduction));
        const ExploreResult fine = found("4000", reduction);
        ASSERT_EQ(1U, fine.violations.size()) << detail_of(fine.verdict);
        EXPECT_EQ("told-late", fine.violations.front().property->name);
        const ExploreResult coarse = found("40000000", reduction);
        EXPECT_TRUE(is<Inconclusive>(coarse.verdict)) << detail_of(coarse.verdict);
        EXPECT_FALSE(coarse.complete);
        EXPECT_EQ(
            "compiled size: no instants between multiples of 1000, which is enough where all "
            "times, defaults too, are multiples of 40000: /parameters/grace is 1000",
            coarse.limit);
    }
}

// A clock with a pace of its own is rounded to whole units, whatever lies between the times.
TEST(CoarseTime, OfClocksThatDriftIsALimit) {
    const std::string text = R"({"version": 1, "system": "monglock_write", "variant": "repaired",
        "parameters": {"locktimeout": 3600000, "grace": 1200000}, "check": ["grant-overlap"],
        "callers": [{"script": [{"acquire": {"key": "db"}}], "settings": {"drift": 1}}]})";
    const Job job = std::get<Job>(
        make_job(systems(), std::get<Scenario>(parse_scenario(text, "in_a_test.json"))));
    ASSERT_LT(1, unit_of(job));
    const ExploreResult result = job.runner->explore(explore_options_of(job));
    EXPECT_TRUE(is<Inconclusive>(result.verdict)) << detail_of(result.verdict);
    EXPECT_NE(std::string::npos, result.limit.find("clocks that drift are rounded"))
        << result.limit;
}

std::string limit_of(const std::string& system, const std::string& parameters) {
    const std::string text = R"({"version": 1, "variant": "repaired", "system": ")" + system +
                             R"(", "check": "safety", "parameters": )" + parameters +
                             R"(, "callers": [{"count": 2, "script": [{"acquire": {"key": "db"}},
                                 {"release": {"key": "db"}}]}]})";
    return limit_of_time(*std::get<Job>(make_job(systems(), std::get<Scenario>(parse_scenario(
                                                                text, "in_a_test.json"))))
                              .runner);
}

// Larger times may need a larger unit, for which the same advice would not be enough.
TEST(CoarseTime, IsFineEnoughWhereTimesAreWhatTheLimitSays) {
    EXPECT_EQ(
        "compiled size: no instants between multiples of 2000, which is enough where all times, "
        "defaults too, are multiples of 40000: /parameters/ttl is 20000",
        limit_of("lease_service", R"({"ttl": 20000, "until": 60000000})"));
    EXPECT_EQ("", limit_of("lease_service", R"({"ttl": 40000, "until": 60000000})"));
    EXPECT_EQ(
        "compiled size: no instants between multiples of 500, which is enough where all times, "
        "defaults too, are multiples of 10000: /parameters/reaper is 1000",
        limit_of("lease_db", R"({"ttl": 3600000, "until": 7200000})"));
    EXPECT_EQ("", limit_of("lease_db", R"({"ttl": 3600000, "until": 7200000, "reaper": 10000})"));
    EXPECT_NE(std::string::npos, limit_of("transactional_pg", R"({"lock_timeout": 3600000})")
                                     .find("/parameters/deadlock_timeout is 1000"));
}

// The time in the code of the write lock is one of the scenario only where it is used.
TEST(CoarseTime, KnowsWhetherATimeInTheCodeIsUsed) {
    EXPECT_EQ("", limit_of("monglock_multi", R"({"locktimeout": 86400000})"));
    EXPECT_EQ("", limit_of("monglock_multi", R"({"locktimeout": 86400000, "write_lock:db": 1})"));
    EXPECT_NE("",
              limit_of("monglock_multi",
                       R"({"locktimeout": 86400000, "locktimeout:db": 0, "write_lock:db": 1})"));
}

}  // namespace
}  // namespace lockkeeper

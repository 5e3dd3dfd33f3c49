// SPDX-License-Identifier: Apache-2.0
#include "work/wanted_run.hpp"

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

Job two_callers(const std::string& variant, int places) {
    static const Registry kRegistry = shipped_systems();
    const std::string number = std::to_string(places);
    const std::string lock = R"({"key": "db", "max_per": )" + number + R"(, "buckets": 1})";
    const std::string script = R"([{"acquire": )" + lock + R"(}, {"release": )" + lock + "}]";
    const std::string text = R"({"version": 1, "system": "canal", "variant": ")" + variant +
                             R"(", "parameters": {"table": {"warm": 1}}, "callers": [{"name": "A",
                             "script": )" +
                             script + R"(}, {"name": "B", "script": )" + script +
                             R"(}], "check": ["over-allocation"]})";
    return value_or_throw(make_job(kRegistry, value_or_throw(parse_scenario(text, "two"))));
}

const std::vector<WantedOperation> kBothAtOnce = {{0, Verb::kAcquire, WantedAnswer::kOk},
                                                  {1, Verb::kAcquire, WantedAnswer::kOk}};

TEST(WantedRun, WhatTheLockDoesIsFoundAndReplays) {
    const Job job = two_callers("faithful", 1);
    const WantedRun run =
        find_wanted_run(job.runner->erased(), {{0, Verb::kAcquire, WantedAnswer::kOk},
                                               {1, Verb::kAcquire, WantedAnswer::kRefused},
                                               {0, Verb::kRelease, WantedAnswer::kAny}});
    ASSERT_TRUE(run.is_found) << run.why;
    const Trace trace = job.runner->replay(run.schedule, {});
    EXPECT_TRUE(trace.divergences.empty());
    std::size_t refused = 0;
    for (const TraceStep& step : trace.steps) {
        refused += step.event.is(kRefused) ? 1 : 0;
    }
    EXPECT_EQ(1U, refused);
}

TEST(WantedRun, TwoHoldersOfOnePlaceAreNotFoundAndOfTwoTheyAre) {
    const WantedRun one = find_wanted_run(two_callers("faithful", 1).runner->erased(), kBothAtOnce);
    EXPECT_FALSE(one.is_found);
    EXPECT_TRUE(one.is_complete);
    EXPECT_EQ(1U, one.missed);
    EXPECT_NE(std::string::npos, one.why.find("B acquire")) << one.why;
    EXPECT_NE(std::string::npos, one.why.find("it is refused")) << one.why;
    EXPECT_TRUE(find_wanted_run(two_callers("repaired", 2).runner->erased(), kBothAtOnce).is_found);
}

TEST(WantedRun, ALimitIsNoAnswer) {
    WantedLimits limits;
    limits.states_max = 2;
    const WantedRun run =
        find_wanted_run(two_callers("faithful", 1).runner->erased(), kBothAtOnce, limits);
    EXPECT_FALSE(run.is_found);
    EXPECT_FALSE(run.is_complete);
}

}  // namespace
}  // namespace lockkeeper

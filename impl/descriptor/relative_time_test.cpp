// SPDX-License-Identifier: Apache-2.0

// A search in relative time reports findings by the clock, or that the clock has no number for one.
#include <filesystem>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

ExploreOptions in_relative_time(const Job& job) {
    ExploreOptions options = explore_options_of(job);
    options.reduction = Reduction::kRelativeTime;
    return options;
}

constexpr const char* kTwoClients = R"({"version": 1, "system": "monglock_write",
    "callers": [{"name": "A", "count": 2, "script": [
        {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}],
    "faults": {"read_fails": 1, "clock_jumps": 1, "ack_lost": 1}, "check": []})";

// A read that fails: the call never returns.
TEST(InRelativeTime, WhoIsStuckIsToldWithAScheduleThatRunsByTheClock) {
    const Job job = job_of(kTwoClients);
    const ExploreResult result = job.runner->explore(in_relative_time(job));
    ASSERT_TRUE(is<Stuck>(result.verdict));
    EXPECT_EQ(result.reduction, Reduction::kRelativeTime);
    const Trace trace = job.runner->replay(std::get<Stuck>(result.verdict).schedule, {});
    EXPECT_TRUE(trace.divergences.empty());
    EXPECT_TRUE(trace.deadlocked);
    EXPECT_FALSE(trace.all_finished);
}

TEST(InRelativeTime, ASearchOnDiskFindsWhatOneInMemoryFinds) {
    const Job job = job_of(kTwoClients);
    ExploreOptions options = in_relative_time(job);
    const ExploreResult memory = job.runner->explore(options);
    const std::string directory = ::testing::TempDir() + "lockkeeper_relative_time";
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    options.disk.directory = directory;
    options.disk.states_in_memory = 500;
    options.jobs = 2;
    const ExploreResult disk = job.runner->explore(options);
    std::filesystem::remove_all(directory);
    EXPECT_TRUE(disk.complete) << disk.limit;
    EXPECT_GT(memory.states, 2'000U);
    EXPECT_EQ(disk.states, memory.states);
    EXPECT_EQ(disk.transitions, memory.transitions);
    EXPECT_TRUE(is<Stuck>(disk.verdict));
}

TEST(InRelativeTime, LivelockIsJudgedByTheClock) {
    const Job job = job_of(R"({"version": 1, "system": "monglock_multi",
        "parameters": {"locktimeout": 1000, "write_lock:lock": 1},
        "callers": [
            {"name": "reader", "script": [{"acquire": {"key": "read"}}, {"release": {"key": "read"}}]},
            {"name": "owner", "script": [{"acquire": {"key": "lock", "until": "acquired"}},
                                         {"release": {"key": "lock"}}]}],
        "check": ["livelock", "belief-overlap"]})");
    const ExploreResult result = job.runner->explore(in_relative_time(job));
    ASSERT_TRUE(is<Violated>(result.verdict)) << result.limit;
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.violations[0].property->name, "livelock");
    ReplayOptions options;
    options.check = job.check;
    options.cycle_start = result.violations[0].cycle_start;
    const Trace trace = job.runner->replay(result.violations[0].schedule, options);
    EXPECT_TRUE(trace.divergences.empty());
    EXPECT_TRUE(trace.cycle_closes);
}

// By the clock nobody comes so far, and the search says so. No unit divides its times.
TEST(InRelativeTime, WhatComesLaterThanTheClockHasNumbersForIsNoViolationAndNoPass) {
    const Job job = job_of(R"({"version": 1, "system": "monglock_write",
        "parameters": {"locktimeout": 10},
        "callers": [
            {"name": "late", "script": [{"sleep": {"time": 40000}}, {"sleep": {"time": 39999}},
                                        {"acquire": {"key": "db"}}]},
            {"name": "early", "script": [{"acquire": {"key": "db"}}]}],
        "check": ["belief-overlap"]})");
    ExploreOptions options = in_relative_time(job);
    std::size_t told = 0;
    options.found = [&](const FoundViolation&) { ++told; };
    const ExploreResult relative = job.runner->explore(options);
    ASSERT_TRUE(is<Inconclusive>(relative.verdict));
    EXPECT_EQ(relative.limit, "compiled size: virtual time beyond 64000");
    EXPECT_EQ(relative.reduction, Reduction::kNone) << "it has begun again by the clock";
    EXPECT_TRUE(relative.violations.empty());
    EXPECT_EQ(told, 0U);
    options.reduction = Reduction::kNone;
    EXPECT_TRUE(is<Inconclusive>(job.runner->explore(options).verdict));
}

TEST(InRelativeTime, ASystemWithoutItIsSearchedAsItIs) {
    const Job job = job_of(R"({"version": 1, "system": "transactional_pg", "callers": [
        {"script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}], "check": []})");
    ExploreOptions options = in_relative_time(job);
    const ExploreResult relative = job.runner->explore(options);
    options.reduction = Reduction::kNone;
    EXPECT_EQ(relative.states, job.runner->explore(options).states);
    EXPECT_EQ(relative.reduction, Reduction::kNone);
}

}  // namespace
}  // namespace lockkeeper

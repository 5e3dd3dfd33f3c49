// SPDX-License-Identifier: Apache-2.0

// `validate --program --level black-box` as a command: leases, tokens, runs without a grant.
#include "app/command_test.hpp"
#include "app/session.hpp"
#include "model/missing_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kShippedLocks = std::string(LOCKKEEPER_SOURCE_DIR) + "/examples/outside/";
const std::string kTestLocks =
    std::string(LOCKKEEPER_SOURCE_DIR) + "/validate/programs/test_children/";

Ran record(const std::string& program, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"validate", "--program", program});
    return run(more);
}

// Nobody has chosen a scenario: real sleeps, as long as the lease that was seen.
TEST(ValidateBlackBox, AWrongLeaseIsFoundAtTheBlackBoxLevel) {
    NEEDS_TOOL("python3");
    const std::string leases = std::string("python3 ") + LOCKKEEPER_SOURCE_DIR +
                               "/validate/programs/test_children/until_locks.py ";
    const auto finding_of = [&](const std::string& lock) {
        const Ran ran = record(lock, {"--level", "black-box", "--recovery-time", "300ms",
                                      "--schedules", "2", "--max-steps", "200"});
        EXPECT_EQ(kExitViolated, ran.exit_code) << lock << ran.out << ran.err;
        const auto from = ran.out.find("violated: ");
        return ran.out.substr(from, ran.out.find(':', from + 10) - from);
    };
    EXPECT_EQ("violated: P17 belief-overlap", finding_of(leases + "says-longer"));
    EXPECT_EQ("violated: P21 false-ok", finding_of(leases + "deletes"));
    EXPECT_EQ("violated: P2 leak", finding_of(leases + "never-ends"));
    EXPECT_EQ("violated: P17 belief-overlap", finding_of(leases + "renews-late"));
    EXPECT_EQ("violated: P21 false-ok",
              finding_of("python3 " + kShippedLocks + "set_nx_px.py --plain-delete"));
}

TEST(ValidateBlackBox, ARightLeasePassesAtTheBlackBoxLevel) {
    NEEDS_TOOL("python3");
    for (const char* lock : {"set_nx_px.py", "lease.py"}) {
        const Ran ran =
            record("python3 " + kShippedLocks + lock, {"--level", "black-box", "--schedules", "2"});
        EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "built-in:lease-expiry")) << ran.out;
        EXPECT_FALSE(contains(ran.out, "built-in:two-callers")) << ran.out;
    }
}

// The lock that its holder's own timer frees is right until the holder is killed.
TEST(ValidateBlackBox, AHolderIsKilledWhereEachCallerHasAProcess) {
    NEEDS_TOOL("python3");
    const std::string child = "python3 " + kTestLocks + "lease_files.py ";
    const auto with = [&](const std::string& mode, std::vector<std::string> more) {
        more.insert(more.end(), {"--level", "black-box", "--recovery-time", "300ms"});
        return record(child + mode, more);
    };
    const Ran together = with("holder-removes", {});
    EXPECT_EQ(kExitPassed, together.exit_code) << together.out << together.err;
    EXPECT_TRUE(contains(together.out, "built-in:lease-unreleased: passed")) << together.out;
    EXPECT_TRUE(contains(together.err, "built-in:lease-crash: left out: ")) << together.err;
    const Ran wrong = with("holder-removes", {"built-in:lease-crash", "--process-per-caller"});
    EXPECT_EQ(kExitViolated, wrong.exit_code) << wrong.out << wrong.err;
    EXPECT_TRUE(contains(wrong.out, "violated: P2 leak")) << wrong.out;
    const Ran right = with("right", {"--process-per-caller"});
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    EXPECT_TRUE(contains(right.out, "built-in:lease-crash: passed")) << right.out;
    EXPECT_TRUE(contains(right.out, "crashes                 4")) << right.out;
    EXPECT_FALSE(contains(right.err, "lease-crash")) << right.err;
    EXPECT_TRUE(
        contains(run({"validate", "--program", child + "right", "built-in:lease-unreleased"}).err,
                 "belongs to the black-box level"));
}

TEST(ValidateBlackBox, ALeaseWhoseEndNobodySawHasNotPassed) {
    NEEDS_TOOL("python3");
    const std::string right = "python3 " + kShippedLocks + "set_nx_px.py";
    const Ran quick = record(right, {kShippedLocks + "two_callers.json", "--level", "black-box",
                                     "--schedules", "2", "--set", "ttl=1000"});
    EXPECT_EQ(kExitInconclusive, quick.exit_code) << quick.out << quick.err;
    EXPECT_TRUE(contains(quick.out,
                         "inconclusive: no grant came to its end while another caller "
                         "asked for the lock (the longest takes "))
        << quick.out;
    EXPECT_TRUE(contains(quick.out, "not judged: P1 over-allocation, P17 belief-overlap"))
        << quick.out;
    const Ran leak = record(right, {kShippedLocks + "two_callers.json", "--level", "black-box",
                                    "--schedules", "1", "--set", "ttl=1000", "--check", "leak"});
    EXPECT_EQ(kExitPassed, leak.exit_code) << leak.out << leak.err;
    const Ran longer = record(right, {"--level", "black-box", "--schedules", "1", "--set",
                                      "ttl=30000", "--recovery-time", "300ms"});
    EXPECT_EQ(kExitInconclusive, longer.exit_code) << longer.out << longer.err;
    EXPECT_TRUE(contains(longer.out, "the built-in scenarios wait for leases of up to 2,000 ms"))
        << longer.out;
    EXPECT_EQ(kExitUsage,
              record(right, {"built-in:lease-pause", "--level", "black-box"}).exit_code);
}

TEST(ValidateBlackBox, ABrokenPromiseHasItsNameWithoutAnEndToo) {
    NEEDS_TOOL("python3");
    const Ran ran = record("python3 " + kTestLocks + "child.py grants",
                           {"built-in:two-callers", "--level", "black-box"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "violated: P1 over-allocation: acquire of ")) << ran.out;
    EXPECT_TRUE(contains(ran.out, ", without an end) while these believed to hold ")) << ran.out;
}

TEST(ValidateBlackBox, ARefusalOfAFreePlaceHasItsName) {
    NEEDS_TOOL("python3");
    const Ran ran = record("python3 " + kTestLocks + "child.py refuses",
                           {"built-in:two-callers", "--level", "black-box"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "violated: P3 under-allocation: acquire of ")) << ran.out;
}

TEST(ValidateBlackBox, WhatIsAskedForByNameAndNeverDecidedIsNoPass) {
    NEEDS_TOOL("python3");
    const auto asked = [](const char* property) {
        return record("python3 " + kShippedLocks + "set_nx_px.py",
                      {"built-in:lease-expiry", "--level", "black-box", "--schedules", "1",
                       "--check", property});
    };
    const Ran places = asked("over-allocation");
    EXPECT_EQ(kExitInconclusive, places.exit_code) << places.out << places.err;
    EXPECT_TRUE(contains(places.out,
                         "no grant was without an end, or of several places; not "
                         "judged: P1 over-allocation"))
        << places.out;
    const Ran twice = asked("double-release,leak");
    EXPECT_EQ(kExitInconclusive, twice.exit_code) << twice.out << twice.err;
    EXPECT_TRUE(contains(twice.out, "not judged here: P4 double-release")) << twice.out;
}

constexpr const char* kAcquiresTwice = R"({"version": 1, "system": "program",
    "callers": [{"name": "A", "count": 2, "script": [
        {"acquire": {"key": "db", "until": "acquired"}}, {"acquire": {"key": "db"}},
        {"release": {"key": "db"}}, {"release": {"key": "db"}}]}]})";

class ValidateBlackBoxRuns : public WithFiles {};

// Nobody says whether it is re-entrant.
TEST_F(ValidateBlackBoxRuns, AnOwnSecondGrantIsARowAndNoPassOfWhatWasAskedFor) {
    NEEDS_TOOL("python3");
    const std::string scenario = write("again.json", kAcquiresTwice);
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), {scenario, "--level", "black-box", "--schedules", "2"});
        return record("python3 " + kTestLocks + "token_locks.py again", more);
    };
    const Ran all = with({});
    EXPECT_EQ(kExitPassed, all.exit_code) << all.out << all.err;
    EXPECT_TRUE(contains(all.out,
                         "P1 decided 4 times, unknown 4 times: a caller was granted what "
                         "it holds already"))
        << all.out;
    EXPECT_TRUE(contains(all.out, "judged as reentrant-mutex")) << all.out;
    EXPECT_EQ(kExitInconclusive, with({"--check", "over-allocation"}).exit_code);
}

TEST_F(ValidateBlackBoxRuns, TokensAreJudgedAtTheBlackBoxLevel) {
    NEEDS_TOOL("python3");
    const std::string child = "python3 " + kTestLocks + "token_locks.py ";
    const auto with = [&](const std::string& mode, const std::string& model) {
        return record(child + mode,
                      {"built-in:two-callers", "--level", "black-box", "--schedules", "2", model});
    };
    for (const char* wrong : {"down", "same"}) {
        const Ran ran = with(wrong, "-q");
        EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "violated: P23 token-order: key db")) << ran.out;
    }
    const Ran right = with("up", "-q");
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    EXPECT_TRUE(contains(right.out, "judged as mutex and by the order of tokens")) << right.out;
    EXPECT_EQ(kExitPassed, with("down", "--model=mutex").exit_code);
}

// Without an end the model says who may acquire again.
TEST_F(ValidateBlackBoxRuns, AReEntrantLockHasAModelWithTokens) {
    NEEDS_TOOL("python3");
    const std::string scenario = write("again.json", kAcquiresTwice);
    const auto judged_as = [&](const std::string& model) {
        return record("python3 " + kTestLocks + "token_locks.py again",
                      {scenario, "--level", "black-box", "--schedules", "2", "--model=" + model});
    };
    const Ran right = judged_as("reentrant-fenced-mutex");
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    EXPECT_EQ(kExitViolated, judged_as("fenced-mutex").exit_code);
}

// A run without a grant says nothing of the others.
TEST_F(ValidateBlackBoxRuns, ARunWithoutAGrantDoesNotDecideForAll) {
    NEEDS_TOOL("python3");
    const std::string child = "python3 " + kTestLocks + "token_locks.py ";
    const Ran ran = record(child + "sometimes " + path("runs"),
                           {"built-in:two-callers", "--level", "black-box", "--schedules", "4"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "validate/logs/command.hpp"

namespace lockkeeper::logs {
namespace {

struct Ran {
    int exit_code = 0;
    std::string out;
};

Ran explained(const std::string& log, const std::string& model) {
    Asked asked;
    asked.logs = {"examples/incidents/" + log};
    asked.model = model;
    std::ostringstream out;
    Ran ran;
    ran.exit_code = run_command(asked, out);
    ran.out = out.str();
    return ran;
}

#define EXPECT_HAS(ran, text) EXPECT_NE((ran).out.find(text), std::string::npos) << (ran).out

TEST(Incidents, ARedisWorkerWritesAfterItsLeaseAndAnotherHolds) {
    const Ran ran = explained("redis_lock.log", "lease:ttl=1s");
    EXPECT_EQ(ran.exit_code, 1) << ran.out;
    EXPECT_HAS(ran, "verdict: violated: explained, 0 lines missing; 1 effect of a caller");
    EXPECT_HAS(ran, "redis_lock.log:11: 13.601 w1 wrote ledger\n    w1 does not hold");
    EXPECT_HAS(ran, "its lease ended at 13.001..13.002");
    EXPECT_HAS(ran, "w2 holds from 13.080");
    EXPECT_HAS(ran, "redis_lock.log:10: 13.600 monitor");  // of another key: said, not judged
}

TEST(Incidents, AKubernetesControllerActsAfterItsLeaseAndItsSuccessorIsRight) {
    const Ran ran = explained("kubernetes_lease.log", "lease:ttl=15s");
    EXPECT_EQ(ran.exit_code, 1) << ran.out;
    EXPECT_HAS(ran, "verdict: violated: explained, 0 lines missing; 1 effect of a caller");
    EXPECT_HAS(ran, "kubernetes_lease.log:14: 20.500 a reconcile ledger\n    a does not hold");
    EXPECT_HAS(ran, "its lease ended at 17.010..17.011, at least 3.489 s before");
    EXPECT_HAS(ran, "b holds from 17.900");
}

// client-go logs renewals that fail, and none that succeed: those are in the watch alone.
TEST(Incidents, RenewalsThatOnlyTheWatchHasAreNoMissingLines) {
    const Mapping mapping;
    LogsReader reader(mapping);
    reader.read_text(
        "I0301 12:00:00.010000  1 leaderelection.go:258] successfully acquired lease a/b\n"
        "E0301 12:00:14.000000  1 leaderelection.go:330] error retrieving resource lock a/b\n"
        "I0301 12:00:16.100000  1 leaderelection.go:283] failed to renew lease a/b: timed out\n",
        "a.log", Format::kByFirstLine);
    std::string watch;
    for (int second = 0; second <= 24; second += second == 6 ? 16 : 2) {
        watch +=
            fmt::format(R"({{"type":"MODIFIED","object":{{"kind":"Lease","metadata":{{"name":"b",)"
                        R"("resourceVersion":"{}"}},"spec":{{"holderIdentity":"{}",)"
                        R"("renewTime":"2026-03-01T12:00:{:02}.000000Z"}}}}}})"
                        "\n",
                        second + 1, second < 20 ? "a" : "b", second);
    }
    reader.read_text(watch, "watch.json", Format::kByFirstLine);
    const auto model = make_model(model_of_logs("lease:ttl=15s"));
    const SearchBudget budget({});
    Question question;
    question.model = model.get();
    question.budget = &budget;
    const LockAnswer answer = explain(by_lock(reader.end().logs).at(0).second, question);
    EXPECT_EQ(answer.answer, Answer::kExplained);
    EXPECT_EQ(answer.found.cost.packed(), 0U);
}

// No line shows that w1 gave the mutex back, so one would be missing; the write is wrong then, too.
TEST(Incidents, AMutexExplainsItWithAMissingReleaseAtMost) {
    const Ran ran = explained("redis_lock.log", "owner-aware-mutex");
    EXPECT_EQ(ran.exit_code, 1) << ran.out;
    EXPECT_HAS(ran, "violated: explained, 1 line missing; 1 effect");
    EXPECT_HAS(ran, "missing: w1, release: answer");
}

std::string refusal_of(const Asked& asked) {
    std::ostringstream out;
    try {
        static_cast<void>(run_command(asked, out));
    } catch (const BadInput& error) {
        return error.what();
    }
    return "none";
}

// app/ says it, with exit code 64; a BadInput with 65.
std::string usage_error_of(const Asked& asked) {
    std::ostringstream out;
    try {
        static_cast<void>(run_command(asked, out));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(ExplainCommand, WhatIsWrongIsSaidInOneLine) {
    Asked asked;
    asked.model = "lease:ttl=1s";
    asked.logs = {"examples/incidents/none.log"};
    EXPECT_TRUE(refusal_of(asked).starts_with("examples/incidents/none.log: "));
    asked.logs = {"examples/incidents/redis_lock.log=xml"};
    EXPECT_NE(usage_error_of(asked).find("--log: xml: there is no such reader"), std::string::npos);
    asked.logs = {"examples/incidents/redis_lock.log"};
    asked.clock_errors = {"w9=5ms"};
    EXPECT_NE(usage_error_of(asked).find("--clock-error: w9: there is no source of this name"),
              std::string::npos);
    asked.clock_errors = {"soon"};
    EXPECT_NE(usage_error_of(asked).find("--clock-error: soon: a time of at most a day"),
              std::string::npos);
    asked.clock_errors = {};
    asked.logs = {"examples/histories/lease_good.jsonl=history"};
    EXPECT_NE(refusal_of(asked).find("validate --history"), std::string::npos);
}

// An error of 600 ms lets the write of w1 be within its lease.
TEST(ExplainCommand, TheClockOfOneSourceMayBeWrong) {
    Asked asked;
    asked.model = "lease:ttl=1s";
    asked.logs = {"examples/incidents/redis_lock.log"};
    asked.clock_errors = {"w2=1ms"};
    std::ostringstream out;
    EXPECT_EQ(run_command(asked, out), 1) << out.str();
    asked.clock_errors = {"0ms"};
    EXPECT_EQ(run_command(asked, out), 1);
    asked.clock_errors = {"0", "w2=0s"};
    EXPECT_EQ(run_command(asked, out), 1);
    asked.clock_errors = {"700ms"};
    EXPECT_EQ(run_command(asked, out), 0) << out.str();
}

}  // namespace
}  // namespace lockkeeper::logs

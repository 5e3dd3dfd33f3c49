// SPDX-License-Identifier: Apache-2.0

// --max-states, --memory and --time-limit mean the same to every verb that searches: what they end
// is told with the limit's name and is never a pass.
#include <chrono>
#include <string>
#include <vector>

#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// Endless work for every way to search: nothing is violated, and nobody sees its end in a second.
class LimitsOfVerbs : public WithFiles {
  protected:
    static std::string endless_text(const std::string& more = "") {
        return R"({"version": 1, "system": "canal", "variant": "repaired",
            "callers": [{"name": "A", "count": 8, "script": [
                {"acquire": {"key": "db", "max_per": 3, "buckets": 3}},
                {"release": {"key": "db", "max_per": 3, "buckets": 3}}], "repeat": 9}],
            "check": ["over-allocation"], "seed": 1)" +
               more + "}";
    }
    [[nodiscard]] std::string endless(const std::string& more = "") const {
        return write("endless.json", endless_text(more));
    }
    [[nodiscard]] std::string sweep() const {
        return write("endless.sweep.json",
                     R"({"sweep_version": 1, "about": "x", "scenario": )" + endless_text() +
                         R"(, "axes": [{"name": "only", "choices": [{"name": "one"}]}]})");
    }
    static void ends_by(const std::string& limit, const Ran& ran, const std::string& says) {
        SCOPED_TRACE(limit);
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, says)) << ran.out << ran.err;
    }
};

const std::vector<std::string> kStates = {"--max-states", "500"};
const std::vector<std::string> kTime = {"--time-limit", "50ms"};
const std::vector<std::string> kMemory = {"--memory", "1M"};

Ran limited(std::vector<std::string> verb, const std::vector<std::string>& limit) {
    verb.insert(verb.end(), limit.begin(), limit.end());
    return run(verb);
}

TEST_F(LimitsOfVerbs, EndExplore) {
    ends_by("states", limited({"explore", endless()}, kStates), "ended by limit: states");
    ends_by("time", limited({"explore", endless()}, kTime), "ended by limit: time");
    ends_by("memory", limited({"explore", endless()}, kMemory), "ended by limit: memory");
}

TEST_F(LimitsOfVerbs, EndRun) {
    const std::string passes = endless(R"(, "method": "explore", "expect": {"verdict": "passed"})");
    ends_by("states", limited({"run", passes}, kStates), "states");
    ends_by("time", limited({"run", passes}, kTime), "time");
    ends_by("memory", limited({"run", passes}, kMemory), "memory");
}

// It keeps no states.
TEST_F(LimitsOfVerbs, EndFuzz) {
    ends_by("time", limited({"fuzz", endless(), "--schedules", "1000000000"}, kTime),
            "ended by limit: time");
}

TEST_F(LimitsOfVerbs, EndMeasure) {
    const std::vector<std::string> measure = {"measure", endless(), "--method", "exact"};
    ends_by("states", limited(measure, kStates), "ended by limit: states");
    ends_by("time", limited(measure, kTime), "ended by limit: time");
    ends_by("memory", limited(measure, kMemory), "ended by limit: memory");
}

// The time that is left ends the look for a goal that nobody reaches.
TEST_F(LimitsOfVerbs, EndWhatMeasureDoesBesideMeasuring) {
    const std::vector<std::string> few = {
        "measure", endless(R"(, "reach": ["crashed"])"), "--method", "sampled", "--runs", "1"};
    ends_by("time", limited(few, {"--time-limit", "1s"}),
            "measured, but goal crashed is not reached yet (ended by limit: time)");
}

TEST_F(LimitsOfVerbs, EndSweep) {
    ends_by("states", limited({"sweep", sweep()}, kStates), "ended by limit: states");
    ends_by("time", limited({"sweep", sweep()}, kTime), "ended by limit: time");
    ends_by("memory", limited({"sweep", sweep()}, kMemory), "ended by limit: memory");
}

// Its memory: verb_prove_test.cpp.
TEST_F(LimitsOfVerbs, EndProve) {
    const std::vector<std::string> prove = {
        "prove", std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/every_number/repaired.json"};
    ends_by("states", limited(prove, {"--max-states", "10"}), "inconclusive");
    ends_by("time", limited(prove, {"--time-limit", "1ms"}), "time");
}

// Its memory: verb_prove_test.cpp, and scheduler/base/process_memory_test.cpp.
TEST_F(LimitsOfVerbs, EndCheckCertificate) {
    const std::string repaired =
        std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/every_number/repaired.json";
    const std::string certificate = path("repaired.certificate.json");
    ASSERT_EQ(kExitPassed, run({"prove", repaired, "--certificate", certificate}).exit_code);
    ends_by("time", limited({"check-certificate", certificate, repaired}, {"--time-limit", "1ms"}),
            "ended by limit: time");
}

// Each of three has work without end. The budget is one, and is held within a second.
TEST_F(LimitsOfVerbs, TimeIsOneBudgetForAllThatACommandDoes) {
    const std::string passes = R"(, "method": "explore", "expect": {"verdict": "passed"})";
    const auto three = [&](const std::string& verb, const std::string& text,
                           const std::vector<std::string>& more) {
        std::vector<std::string> arguments{verb};
        for (const char* name : {"a.json", "b.json", "c.json"}) {
            arguments.push_back(write(name, text));
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const std::string sweep_of_three =
        write("three.sweep.json",
              R"({"sweep_version": 1, "about": "x", "scenario": )" + endless_text() +
                  R"(, "axes": [{"name": "of", "choices": [{"name": "one"}, {"name": "two"},
                     {"name": "three"}]}]})");
    const std::vector<std::vector<std::string>> commands{
        three("explore", endless_text(), {}),
        three("run", endless_text(passes), {}),
        three("fuzz", endless_text(), {"--schedules", "1000000000"}),
        three("measure", endless_text(), {"--method", "exact"}),
        {"sweep", sweep_of_three},
        {"explore", endless(), "--find-smallest", "callers=6..8"},
    };
    for (const std::vector<std::string>& command : commands) {
        SCOPED_TRACE(command.front() + " " + command.back());
        const auto start = std::chrono::steady_clock::now();
        const Ran ran = limited(command, {"--time-limit", "1s"});
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_LT(taken.count(), 2) << ran.out << ran.err;
    }
}

}  // namespace
}  // namespace lockkeeper

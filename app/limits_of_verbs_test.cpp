// SPDX-License-Identifier: Apache-2.0

// --max-states, --memory and --time-limit mean the same to every verb that searches: what they end
// is told with the limit's name and is never a pass.
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/command_test.hpp"
#include "app/flags.hpp"
#include "app/verbs.hpp"
#include "scheduler/base/process_memory.hpp"

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
const std::string kCheckout = LOCKKEEPER_SOURCE_DIR;

// More than the limit of a test, for as long as it lives.
std::vector<char> more_than_the_least() { return std::vector<char>(ProcessLimit::kLeast + 1, 1); }
const std::vector<std::string> kLeastMemory = {"--memory", std::to_string(ProcessLimit::kLeast)};

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

TEST_F(LimitsOfVerbs, KnowHowManyPointsAreMeasured) {
    const Ran ran = run(
        {"measure", endless(), "--sweep", "max_per=1..1000", "--sweep", "max_decr_tries=1..21"});
    EXPECT_EQ(kExitUsage, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.err, "--sweep: 21000 points; at most 20000 are measured")) << ran.err;
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

TEST_F(LimitsOfVerbs, EndValidatingAHistory) {
    const std::vector<std::string> validate = {"validate", "--history",
                                               kCheckout + "/examples/histories/mutex_good.jsonl",
                                               "--model", "mutex"};
    ASSERT_EQ(kExitPassed, run(validate).exit_code);
    ends_by("time", limited(validate, {"--time-limit", "0.001ms"}), "time");
    ends_by("memory", limited(validate, {"--memory", "1"}), "memory");
}

// Its code runs in processes of its own; what is limited is this one.
TEST_F(LimitsOfVerbs, EndValidatingAProgram) {
    const std::string program =
        "/usr/bin/python3 '" + kCheckout + "/examples/outside/set_nx_px.py'";
    const std::string scenario = kCheckout + "/examples/outside/two_callers.json";
    const std::vector<std::string> validate = {"validate", "--program", program, scenario};
    ends_by("time", limited(validate, {"--time-limit", "0.001ms"}), "ended by limit: time");
    const std::vector<char> held = more_than_the_least();
    ends_by("memory", limited(validate, kLeastMemory), "ended by limit: memory");
    EXPECT_FALSE(held.empty());
}

TEST_F(LimitsOfVerbs, EndRecordingABlackBox) {
    const std::vector<std::string> validate = {
        "validate",
        "--program",
        "/usr/bin/python3 '" + kCheckout + "/examples/outside/set_nx_px.py'",
        kCheckout + "/examples/outside/two_callers.json",
        "--level",
        "black-box"};
    ends_by("time", limited(validate, {"--time-limit", "0.001ms"}), "ended by limit: time");
    const std::vector<char> held = more_than_the_least();
    ends_by("memory", limited(validate, kLeastMemory), "ended by limit: memory");
    EXPECT_FALSE(held.empty());
}

TEST_F(LimitsOfVerbs, EndComparing) {
    const std::vector<std::string> validate = {"validate", "--against",   "canal/repaired",
                                               endless(),  "--schedules", "1000000000"};
    ends_by("time", limited(validate, {"--time-limit", "100ms"}),
            "verdict: undecided, ended by limit: time");
    const std::vector<char> held = more_than_the_least();
    ends_by("memory", limited(validate, kLeastMemory),
            "verdict: undecided, ended by limit: memory");
    EXPECT_FALSE(held.empty());
}

TEST_F(LimitsOfVerbs, EndExplain) {
    const std::vector<std::string> explain = {
        "explain", kCheckout + "/examples/incidents/redis_lock.log", "--model", "lease:ttl=1s"};
    ends_by("time", limited(explain, {"--time-limit", "0.001ms"}), "time");
    ends_by("memory", limited(explain, {"--memory", "1"}), "memory");
}

TEST_F(LimitsOfVerbs, EndReplay) {
    const std::string file = kCheckout + "/scenarios/single_counter/timeline_leak.json";
    ASSERT_EQ(kExitViolated, run({"replay", file}).exit_code);
    ends_by("time", limited({"replay", file}, {"--time-limit", "0.001ms"}), "ended by limit: time");
}

// The limits of serve are tested in serve/exploration_test.cpp, the time of threads with its test
// programs, and a report repeats a trace as replay does.
TEST_F(LimitsOfVerbs, AreTestedForEveryVerbThatHasThem) {
    const std::map<std::string, std::set<std::string>> tested{
        {"--max-states", {"explore", "measure", "prove", "run", "serve", "sweep"}},
        {"--memory",
         {"check-certificate", "explain", "explore", "measure", "prove", "run", "serve", "sweep",
          "validate"}},
        {"--time-limit",
         {"check-certificate", "explain", "explore", "fuzz", "measure", "prove", "replay", "report",
          "run", "sweep", "threads", "validate"}}};
    std::map<std::string, std::set<std::string>> known;
    for (const Flag& flag : flags()) {
        for (const VerbRow& verb : verbs()) {
            if (tested.contains(flag.name) && has(flag.commands, verb.command)) {
                known[flag.name].insert(name_of(verb.command));
            }
        }
    }
    EXPECT_EQ(tested, known);
}

TEST_F(LimitsOfVerbs, AreRefusedWithTheVerbsThatHaveThem) {
    for (const Flag& flag : flags()) {
        const std::string name = flag.name;
        if (name != "--max-states" && name != "--memory" && name != "--time-limit") {
            continue;
        }
        for (const VerbRow& verb : verbs()) {
            if (!has(flag.commands, verb.command)) {
                const std::string asked(name_of(verb.command));
                const Ran ran = run({asked, name, "1"});
                EXPECT_EQ(kExitUsage, ran.exit_code) << asked << " " << name;
                EXPECT_TRUE(contains(ran.err, "it goes with ")) << asked << " " << name << ran.err;
            }
        }
    }
}

// Making them all takes longer.
TEST_F(LimitsOfVerbs, EndTheMakingOfPoints) {
    const auto axis = [](const std::string& name, int count) {
        std::string choices;
        for (int i = 1; i <= count; ++i) {
            const std::string number = std::to_string(i);
            choices += std::string(i == 1 ? "" : ", ") + R"({"name": ")" + number +
                       R"(", "set": {"/seed": )" + number + "}}";
        }
        return R"({"name": ")" + name + R"(", "choices": [)" + choices + "]}";
    };
    const std::string sweep_of_many = write(
        "many.sweep.json", R"({"sweep_version": 1, "about": "x", "scenario": )" + endless_text() +
                               R"(, "axes": [)" + axis("a", 250) + ", " + axis("b", 400) + "]}");
    const std::string lease = write("lease.json", R"({"version": 1, "system": "lease_db",
        "callers": [{"name": "A", "script": [{"acquire": {"key": "db"}}]}]})");
    const std::vector<std::string> soon = {"--time-limit", "100ms"};
    ends_by("time", limited({"sweep", sweep_of_many}, soon), "\n0 points, ");
    const Ran measured =
        limited({"measure", lease, "--sweep", "ttl=1..20", "--sweep", "until=3001..4000"}, soon);
    ends_by("time", measured, "verdict: inconclusive: ended by limit: time");
    EXPECT_TRUE(contains(measured.out, "lease_db/faithful, ttl 1, until 3001, "));
    EXPECT_FALSE(contains(measured.out, "ttl 20, "));
}

// Each of three has work without end: with a budget each they would take three seconds. Those of
// the processor, which are no more on a busy machine.
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
        const std::clock_t start = std::clock();
        const Ran ran = limited(command, {"--time-limit", "1s", "--jobs", "1"});
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_LT(seconds, 2) << ran.out << ran.err;
    }
}

}  // namespace
}  // namespace lockkeeper

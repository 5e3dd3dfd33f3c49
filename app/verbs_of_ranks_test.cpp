// SPDX-License-Identifier: Apache-2.0

// `fuzz`, `measure` and `sweep` by several ranks, here threads: the output and the exit code of one
// process. The first rank runs the command, the others know nothing but what it asks.
#include <regex>
#include <set>

#include "app/command_test.hpp"
#include "measure/follow_tasks.hpp"
#include "model/json.hpp"
#include "scheduler/ranks/helping_ranks_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using Json = nlohmann::json;

Ran run_on_ranks(std::size_t count, const std::vector<std::string>& arguments) {
    static const Registry kRegistry = shipped_systems();
    return testing_scheduler::with_helping_ranks<Ran>(
        count,
        [&](Ranks& ranks) {
            std::ostringstream out;
            std::ostringstream err;
            const auto nothing = [](const char*) -> const char* { return nullptr; };
            Ran ran;
            ran.exit_code = run_lockkeeper(arguments, kRegistry,
                                           {out, err, false, nothing, "lockkeeper", &ranks});
            ran.out = out.str();
            ran.err = err.str();
            return ran;
        },
        FollowTasks(kRegistry));
}

// Without what differs from run to run.
std::string without_times(const std::string& text) {
    static const std::regex kTimes(
        R"re("(graph_)?seconds": [-+.e0-9]+|[0-9.,]+( s|( million)?/s)\b)re");
    return std::regex_replace(text, kTimes, "a time");
}

class VerbsOfRanks : public WithFiles {
  protected:
    static Ran alike(std::vector<std::string> arguments,
                     std::initializer_list<std::size_t> counts = {1, 2, 4}) {
        arguments.insert(arguments.end(), {"--quiet", "--jobs", "1"});
        Ran alone = run(arguments);
        for (const std::size_t count : counts) {
            const Ran ran = run_on_ranks(count, arguments);
            EXPECT_EQ(without_times(ran.out), without_times(alone.out)) << count << " ranks";
            EXPECT_EQ(ran.err, alone.err) << count << " ranks";
            EXPECT_EQ(ran.exit_code, alone.exit_code) << count << " ranks";
        }
        return alone;
    }

    // Two callers of a table that is warm or cold, and a caller that may die.
    [[nodiscard]] std::string wrong_lock() const {
        return write_pair("wrong.json", R"("check": ["leak"], "faults": {"crashes": 1},)");
    }
    [[nodiscard]] std::string right_lock() const {
        return write_pair("right.json", R"("variant": "repaired", "check": ["over-allocation"],)");
    }
};

// The canal lock's key `manager` stays when a choice makes another system of the scenario.
TEST_F(VerbsOfRanks, APointMaySayWhatItsSystemDoesNotKnow) {
    const Ran ran = alike({"sweep", write("s.json", R"({"sweep_version": 1, "about": "Without.",
        "scenario": {"version": 1, "parameters": {"manager": "none"}, "check": ["leak"], "callers": [
            {"name": "A", "count": 2, "script": [
                {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]},
        "axes": [
            {"name": "lock", "choices": [
                {"name": "counter", "set": {"/system": "single_counter"}},
                {"name": "canal", "set": {"/system": "canal", "/variant": "repaired"}}]},
            {"name": "others", "vary": "callers:A", "values": [1, 2]}]})")});
    EXPECT_EQ(ran.exit_code, kExitPassed) << ran.out << ran.err;
}

TEST_F(VerbsOfRanks, FuzzTellsTheSame) {
    for (const char* strategy : {"feedback", "portfolio"}) {
        const Ran wrong = alike({"fuzz", wrong_lock(), "--strategy", strategy});
        EXPECT_EQ(wrong.exit_code, kExitViolated) << wrong.out;
        const Ran right =
            alike({"fuzz", right_lock(), "--strategy", strategy, "--schedules", "60"});
        EXPECT_EQ(right.exit_code, kExitPassed) << right.out;
    }
    const Ran all = alike({"fuzz", wrong_lock(), right_lock(), "--keep-going", "--schedules", "40",
                           "--format", "json"});
    EXPECT_EQ(Json::parse(all.out)["files"].size(), 2U);
}

TEST_F(VerbsOfRanks, MeasureTellsTheSame) {
    const Ran sampled = alike(
        {"measure", wrong_lock(), "--method", "sampled", "--runs", "500", "--format", "json"});
    EXPECT_EQ(sampled.exit_code, kExitPassed) << sampled.out << sampled.err;
    EXPECT_TRUE(contains(sampled.out, R"("runs": 500)")) << sampled.out;
    EXPECT_EQ(alike({"measure", right_lock(), "--method", "sampled", "--runs", "300"}).exit_code,
              kExitPassed);
    const Ran split = alike({"measure", wrong_lock(), "--method", "splitting", "--runs", "2000",
                             "--law", "weights:step=1,crash=0.01"},
                            {2, 3});
    EXPECT_TRUE(contains(split.out, "splitting")) << split.out << split.err;
    const Ran several = alike({"measure", wrong_lock(), "--sweep", "callers:A=1,2", "--below",
                               "0.99", "--max-states", "20"});
    EXPECT_EQ(several.exit_code, kExitPassed) << several.out << several.err;
}

TEST_F(VerbsOfRanks, SweepTellsTheSame) {
    const Ran explored = alike({"sweep", sweep(""), "--format", "json"}, {1, 2, 3, 4, 6});
    EXPECT_EQ(explored.exit_code, kExitViolated) << explored.out << explored.err;
    const Ran measured =
        alike({"sweep", sweep(R"(, "measure": {"method": "sampled", "runs": 300})")});
    EXPECT_EQ(measured.exit_code, kExitPassed) << measured.out << measured.err;
    // Exact figures with their check by sampling, and one point that a limit ends.
    const std::string both = sweep(R"(, "measure": {"method": "auto"})");
    EXPECT_EQ(alike({"sweep", both, "--where", "others=1", "--format", "json"}, {2}).exit_code,
              kExitPassed);
    EXPECT_EQ(alike({"sweep", sweep(""), "--where", "lock=right", "--max-states", "9"}).exit_code,
              kExitInconclusive);
}

// Nobody sees the end of this work. What ends it is no pass, on however many ranks.
TEST_F(VerbsOfRanks, ALimitEndsThemAll) {
    const std::string endless = R"({"version": 1, "system": "canal", "variant": "repaired",
        "callers": [{"name": "A", "count": 8, "script": [
            {"acquire": {"key": "db", "max_per": 3, "buckets": 3}},
            {"release": {"key": "db", "max_per": 3, "buckets": 3}}], "repeat": 9}],
        "check": ["over-allocation"], "seed": 1})";
    const std::string file = write("endless.json", endless);
    const std::string points =
        write("endless.sweep.json",
              R"({"sweep_version": 1, "about": "x", "scenario": )" + endless +
                  R"(, "axes": [{"name": "of", "choices": [{"name": "one"}, {"name": "two"}]}]})");
    for (const std::vector<std::string>& limit :
         {std::vector<std::string>{"--memory", "1M"}, {"--max-states", "500"}}) {
        for (const std::vector<std::string>& verb :
             {std::vector<std::string>{"sweep", points}, {"measure", file, "--method", "exact"}}) {
            SCOPED_TRACE(verb.front() + " " + limit.front());
            std::vector<std::string> arguments = verb;
            arguments.insert(arguments.end(), limit.begin(), limit.end());
            const Ran ran = run_on_ranks(3, arguments);
            EXPECT_EQ(ran.exit_code, kExitInconclusive) << ran.out << ran.err;
            EXPECT_TRUE(contains(ran.out, limit.front() == "--memory" ? "ended by limit: memory"
                                                                      : "ended by limit: states"))
                << ran.out;
        }
    }
}

TEST_F(VerbsOfRanks, WhatIsRefusedIsRefusedOnce) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"fuzz", path("none.json")},
          {"fuzz", right_lock(), "--strategy", "by-hope"},
          {"measure", wrong_lock(), "--law", "weights:hope=1"},
          {"sweep", sweep(R"(, "rule": [])")},
          {"sweep", sweep(R"(, "measure": {"method": "hope"})")}}) {
        const Ran ran = alike(arguments, {3});
        EXPECT_NE(ran.exit_code, kExitPassed);
        expect_one_line(ran, "");
    }
}

std::set<std::string> names_in(const std::string& directory) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

// The traces that are there are tried first, by the first rank.
TEST_F(VerbsOfRanks, OnlyTheFirstWritesFilesAndReadsThem) {
    const auto fuzz_into = [&](const std::string& out) {
        return std::vector<std::string>{"fuzz", wrong_lock(), "--out", path(out), "--quiet"};
    };
    EXPECT_EQ(run(fuzz_into("alone")).exit_code, kExitViolated);
    EXPECT_EQ(run_on_ranks(3, fuzz_into("together")).exit_code, kExitViolated);
    EXPECT_EQ(names_in(path("together")), names_in(path("alone")));
    EXPECT_TRUE(contains(run_on_ranks(3, fuzz_into("together")).out, "corpus"));
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Uses of outside code beside judging it: measuring how often it fails, keeping failures and trying
// them first, writing histories and reading them back. Programs of the protocol, and unmodified
// clients; a wrong lock and a right one each.
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "app/command_test.hpp"
#include "model/missing_test.hpp"
#include "model/printable.hpp"
#include "model/slow_build_test.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
namespace fs = std::filesystem;

const std::string kOutsideRoot = LOCKKEEPER_SOURCE_DIR;

struct Outside {
    std::string name;
    std::vector<std::string> wrong;
    std::vector<std::string> right;
    std::string scenario;
    std::string model;
};
std::ostream& operator<<(std::ostream& out, const Outside& outside) { return out << outside.name; }

std::string outside_python(const std::string& arguments) {
    const bool is_shim = databases::find_program("python3").find("/shims/") != std::string::npos;
    return std::string(is_shim ? "/usr/bin/python3" : "python3") + " -S -E " + kOutsideRoot +
           arguments;
}
Outside outside_program() {
    return {"program",
            {"--program", outside_python("/examples/outside/counter.py")},
            {"--program", outside_python("/examples/outside/counter.py --atomic")},
            kOutsideRoot + "/examples/real_locks/two_callers.json",
            "reentrant-mutex"};
}
Outside outside_tasks() {
    return {"tasks",
            {"--tasks", outside_python("/examples/tasks/semaphores.py racy")},
            {"--tasks", outside_python("/examples/tasks/semaphores.py right")},
            kOutsideRoot + "/examples/real_locks/two_callers.json",
            "reentrant-mutex"};
}
Outside outside_clients() {
    const std::string lock = "/validate/wire/test_clients/raw_lock.py ";
    return {"wire",
            {"--wire", "redis", "--client", outside_python(lock + "get_then_set")},
            {"--wire", "redis", "--client", outside_python(lock + "right")},
            kOutsideRoot + "/examples/wire/two_callers.json",
            "reentrant-mutex"};
}

class OutsideUses : public WithFiles, public ::testing::WithParamInterface<Outside> {
  protected:
    void SetUp() override {
        WithFiles::SetUp();
        NEEDS_TOOL("python3");
        if (GetParam().name == "wire") {
            NEEDS_TOOL("redis-server");
        }
    }
    static Ran run_with(const std::string& verb, const std::vector<std::string>& lock,
                        std::vector<std::string> more) {
        more.insert(more.begin(), lock.begin(), lock.end());
        more.insert(more.begin(), verb);
        more.emplace_back("-q");
        return run(more);
    }
    [[nodiscard]] std::vector<std::string> files_in(const std::string& directory,
                                                    const std::string& ending) const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(path(directory))) {
            if (entry.path().string().ends_with(ending)) {
                found.push_back(entry.path().string());
            }
        }
        return found;
    }
};

std::string line_to_replay_in(const std::string& text) {
    const std::size_t at = text.find("lk1:");
    return at == std::string::npos ? "" : text.substr(at, text.find('\'', at) - at);
}

TEST_P(OutsideUses, AWrongLockIsMeasuredAndOneOfItsRunsReplays) {
    const Outside& outside = GetParam();
    const Ran ran =
        run_with("measure", outside.wrong, {"--runs", "64", "--below", "0.01", outside.scenario});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: exceeded: P1 over-allocation")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "one run that violates P1 over-allocation, in ")) << ran.out;
    const std::string line = line_to_replay_in(ran.out);
    ASSERT_NE("", line) << ran.out;
    const Ran again =
        run_with("validate", outside.wrong, {outside.scenario, "--replay-choices", line});
    EXPECT_EQ(kExitViolated, again.exit_code) << again.out;
    EXPECT_TRUE(contains(again.out, "violated: P1 over-allocation")) << again.out;
}

TEST_P(OutsideUses, ARightLockStaysBelowTheGateAndHasNoBadRun) {
    const Outside& outside = GetParam();
    const Ran ran =
        run_with("measure", outside.right,
                 {"--runs", "128", "--below", "0.2", "--format", "json", outside.scenario});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    const auto document = nlohmann::json::parse(ran.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << ran.out;
    const auto& file = document.at("files").at(0);
    EXPECT_FALSE(file.contains("bad_run"));
    const auto& result = file.at("points").at(0).at("result");
    EXPECT_EQ(true, result.at("is_below"));
    EXPECT_GT(result.at("acquires_per_run").at("value"), 1.0);
    for (const auto& property : result.at("properties")) {
        EXPECT_EQ(0, property.at("hits")) << property;
        EXPECT_GT(property.at("per_run").at("high"), 0.0) << property;
    }
}

TEST_P(OutsideUses, TheSameSeedGivesTheSameFiguresAndTheLawDecidesThem) {
    const Outside& outside = GetParam();
    const auto figures = [&](const std::vector<std::string>& more) {
        std::vector<std::string> flags{"--runs", "40", "--format", "json", outside.scenario};
        flags.insert(flags.end(), more.begin(), more.end());
        const Ran ran = run_with("measure", outside.wrong, flags);
        const auto document = nlohmann::json::parse(ran.out, nullptr, false);
        if (!document.is_object()) {
            return std::string("no document: ") + ran.out + ran.err;
        }
        const auto& file = document.at("files").at(0);
        EXPECT_EQ("over-allocation", file.at("bad_run").at("property"));
        return file.at("points").at(0).at("result").at("properties").dump();
    };
    const std::string first = figures({"--seed", "5"});
    EXPECT_EQ(first, figures({"--seed", "5"}));
    EXPECT_NE(first, figures({"--seed", "6"}));
    EXPECT_NE(first, figures({"--seed", "5", "--law", "weights:step=1,arrival=20"}));
}

TEST_P(OutsideUses, AFailureIsKeptAndTriedFirst) {
    const Outside& outside = GetParam();
    const std::vector<std::string> kept{"--out", path("kept"), outside.scenario};
    const Ran first = run_with("validate", outside.wrong, kept);
    EXPECT_EQ(kExitViolated, first.exit_code) << first.out << first.err;
    EXPECT_TRUE(contains(first.out, "found by exploring")) << first.out;
    const Ran again = run_with("validate", outside.wrong, kept);
    EXPECT_EQ(kExitViolated, again.exit_code) << again.out << again.err;
    EXPECT_TRUE(contains(again.out, "found by corpus")) << again.out;
    EXPECT_EQ(1U, files_in("kept", ".trace.json").size());
    const Ran right = run_with("validate", outside.right, kept);
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
}

// The command stands there for a reader.
TEST_P(OutsideUses, ATraceNamesTheCommandAndNeverStartsIt) {
    const Outside& outside = GetParam();
    run_with("validate", outside.wrong, {"--out", path("kept"), outside.scenario});
    const auto traces = files_in("kept", ".trace.json");
    ASSERT_EQ(1U, traces.size());
    std::ifstream file(traces.front());
    auto trace = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(trace.is_object());
    EXPECT_EQ(outside.wrong.back(), trace.at("command"));
    trace["command"] = "touch " + path("started");
    const std::string edited = write("edited.trace.json", trace.dump());
    EXPECT_EQ(kExitViolated, run_with("validate", outside.wrong, {edited}).exit_code);
    EXPECT_FALSE(fs::exists(path("started")));
}

TEST_P(OutsideUses, WhatReplaySaysToTypeReplaysTheTrace) {
    const Outside& outside = GetParam();
    run_with("validate", outside.wrong, {"--out", path("kept"), outside.scenario});
    const auto traces = files_in("kept", ".trace.json");
    ASSERT_EQ(1U, traces.size());
    std::vector<std::string> words{"validate"};
    words.insert(words.end(), outside.wrong.begin(), outside.wrong.end());
    words.push_back(traces.front());
    std::string line = "type: lockkeeper";
    for (const std::string& word : words) {
        line += " " + shell_quoted(word);
    }
    const Ran told = run({"replay", traces.front()});
    EXPECT_EQ(kExitInput, told.exit_code);
    expect_one_line(told, line + "\n");
    const Ran again = run(words);
    EXPECT_EQ(kExitViolated, again.exit_code) << again.out << again.err;
    EXPECT_TRUE(contains(again.out, "violated: P1 over-allocation")) << again.out;
}

TEST_P(OutsideUses, APassThatIsBoundedSaysWhatWasSearchedAndWhatToTryNext) {
    const Outside& outside = GetParam();
    const Ran ran = run_with("validate", outside.right, {"--schedules", "4", outside.scenario});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "\nsearches                explore ended by its budget after "))
        << ran.out;
    EXPECT_TRUE(contains(ran.out, "; random: 2\n")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "\ntry next                --schedules 40; --search random; "))
        << ran.out;
    EXPECT_TRUE(contains(ran.out, "  checks: P1 over-allocation, ")) << ran.out;
}

// Code hosts show nothing at a file that is not there.
TEST_P(OutsideUses, AResultOfABuiltInScenarioIsAtTheFileOfTheCommand) {
    const Outside& outside = GetParam();
    const bool is_program = outside.name == "program";
    const Ran ran =
        run_with("validate", outside.wrong,
                 is_program ? std::vector<std::string>{"built-in:two-callers", "--format", "sarif"}
                            : std::vector<std::string>{"--format", "sarif"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    const auto log = nlohmann::json::parse(ran.out, nullptr, false);
    ASSERT_TRUE(log.is_object()) << ran.out;
    const auto& place =
        log.at("runs").at(0).at("results").at(0).at("locations").at(0).at("physicalLocation");
    EXPECT_EQ(is_program                ? "examples/outside/counter.py"
              : outside.name == "tasks" ? "examples/tasks/semaphores.py"
                                        : "validate/wire/test_clients/raw_lock.py",
              place.at("artifactLocation").at("uri"));
    EXPECT_EQ(1, place.at("region").at("startLine"));
}

TEST_P(OutsideUses, HistoriesAreReadBackWithTheSameVerdict) {
    const Outside& outside = GetParam();
    for (const bool is_right : {true, false}) {
        SCOPED_TRACE(is_right);
        const std::string out = is_right ? "right" : "wrong";
        const int expected = is_right ? kExitPassed : kExitViolated;
        const Ran ran =
            run_with("validate", is_right ? outside.right : outside.wrong,
                     {"--check", "unexplained-history", "--out", path(out), outside.scenario});
        EXPECT_EQ(expected, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "judged as " + outside.model)) << ran.out;
        EXPECT_EQ(!is_right, contains(ran.out, "no order explains the history: key db")) << ran.out;
        const auto histories = files_in(out, ".history.jsonl");
        ASSERT_EQ(1U, histories.size());
        EXPECT_TRUE(contains(ran.out, "written: " + histories.front())) << ran.out;
        const Ran read =
            run({"validate", "--history", histories.front(), "--model", outside.model, "-q"});
        EXPECT_EQ(expected, read.exit_code) << read.out << read.err;
    }
}

// Files of one name, cases of one file, and other locks write into one directory.
TEST_P(OutsideUses, HistoriesOfOneNameAndSeedDoNotReplaceEachOther) {
    const Outside& outside = GetParam();
    std::ifstream shipped(outside.scenario);
    auto document = nlohmann::json::parse(shipped, nullptr, false);
    ASSERT_TRUE(document.is_object());
    document.erase("$schema");
    document.erase("expect");
    const std::string one = write("one/lock.json", document.dump());
    const std::string two = write("two/lock.json", document.dump());
    document["cases"] = {{{"name", "first"}}, {{"name", "second"}}};
    const std::string cases = write("cases.json", document.dump());
    const auto names = [&](const std::vector<std::string>& lock, std::vector<std::string> more) {
        more.insert(more.begin(), {"--schedules", "20", "--seed", "7", "--out", path("kept"), one,
                                   cases + "#first"});
        const Ran ran = run_with("validate", lock, more);
        EXPECT_EQ("", ran.err) << ran.out;
        const auto found = files_in("kept", ".history.jsonl");
        return std::set<std::string>(found.begin(), found.end());
    };
    const auto first = names(outside.right, {two, cases + "#second"});
    EXPECT_EQ(4U, first.size());
    const auto begins = [&](const std::string& name) {
        return std::count_if(first.begin(), first.end(), [&](const std::string& file) {
            return file.starts_with(path("kept/" + name));
        });
    };
    EXPECT_EQ(2, begins("lock-7-"));
    EXPECT_EQ(1, begins("cases-first-7-"));
    EXPECT_EQ(1, begins("cases-second-7-"));
    EXPECT_EQ(first, names(outside.right, {}));
    EXPECT_EQ(6U, names(outside.wrong, {}).size());
}

// Sanitizers see little in tasks that they do not see in programs, and each use is dear there.
std::vector<Outside> outsides() {
    std::vector<Outside> all = {outside_program(), outside_clients()};
    if (!testing_model::kIsSanitized) {
        all.push_back(outside_tasks());
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Each, OutsideUses, ::testing::ValuesIn(outsides()),
                         [](const auto& named) { return named.param.name; });

// Looks at a search and at a replay, in the document and in the text.
TEST_F(WithFiles, WhatRanOnRealTimeIsRemarkedInEveryReport) {
    NEEDS_TOOL("python3");
    const std::string clients = "/validate/wire/test_clients/";
    const auto validated = [&](const std::string& kind, std::vector<std::string> more) {
        more.insert(
            more.begin(),
            {"validate", "--wire", "tcp", "--framing", "newline", "--server-command",
             "env -u LD_PRELOAD " + outside_python(clients + "line_server.py") +
                 " {port} newline right",
             "--client", outside_python(clients + "line_client.py") + " " + kind + " newline"});
        return run(more);
    };
    const std::string scenario = kOutsideRoot + "/examples/wire/two_callers.json";
    const auto remarks_of = [](const Ran& ran) {
        const auto document = nlohmann::json::parse(ran.out, nullptr, false);
        EXPECT_TRUE(document.is_object()) << ran.out << ran.err;
        return document.is_object() ? document.at("files").at(0).at("remarks") : document;
    };
    const std::string remark = "the server cannot be given a clock";
    const Ran right = validated("right", {"--format", "json", "-q", scenario});
    ASSERT_EQ(1U, remarks_of(right).size()) << right.out;
    EXPECT_TRUE(contains(remarks_of(right).at(0).get<std::string>(), remark)) << right.out;
    const Ran wrong = validated("get_then_set", {"--out", path("kept"), "-q", scenario});
    EXPECT_EQ(kExitViolated, wrong.exit_code) << wrong.out << wrong.err;
    std::string trace;
    for (const auto& entry : fs::directory_iterator(path("kept"))) {
        const std::string file = entry.path().string();
        trace = file.ends_with(".trace.json") ? file : trace;
    }
    ASSERT_NE("", trace);
    EXPECT_EQ(1U, remarks_of(validated("get_then_set", {"--format", "json", trace})).size());
    const Ran replayed = validated("get_then_set", {trace});
    EXPECT_EQ(kExitViolated, replayed.exit_code) << replayed.out;
    EXPECT_TRUE(contains(replayed.out, remark)) << replayed.out;
}

TEST(OutsideMeasures, WhatDoesNotGoTogetherIsRefused) {
    const std::string file = kOutsideRoot + "/examples/wire/two_callers.json";
    const std::vector<std::vector<std::string>> wrong{
        {"--wire", "redis"},
        {"--client", "x"},
        {"--program", "x", "--wire", "redis", "--client", "x"},
        {"--program", "x", "--tasks", "x"},
        {"--tasks", "x", "--wire", "redis", "--client", "x"},
        {"--program", "x", "--method", "exact"},
        {"--program", "x", "--method", "splitting"},
        {"--program", "x", "--bounds"},
        {"--program", "x", "--compare", "a,b"},
        {"--program", "x", "--svg", "/dev/null"},
        {"--program", "x", "--out", "/tmp"},
        {"--program", "x", "--sweep", "ttl=1..2"}};
    for (std::vector<std::string> flags : wrong) {
        flags.insert(flags.begin(), {"measure", file});
        const Ran ran = run(flags);
        EXPECT_EQ(kExitUsage, ran.exit_code) << flags.back() << ran.out << ran.err;
    }
    const Ran none = run({"measure", file, "--program", "no_such_program_here", "-q"});
    EXPECT_EQ(kExitInput, none.exit_code);
    expect_one_line(none, "cannot be started");
}

}  // namespace
}  // namespace lockkeeper

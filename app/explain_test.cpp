// SPDX-License-Identifier: Apache-2.0

// `lockkeeper explain` from end to end: the run as a scenario, another variant's answer, reports.
#include <filesystem>

#include <fmt/format.h>

#include "app/command_test.hpp"
#include "app/page_contract_test.hpp"
#include "model/json.hpp"
#include "reports/writer.hpp"
#include "scenarios/schema_check_test.hpp"
#include "work/incident.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kNight =
    std::string(LOCKKEEPER_SOURCE_DIR) + "/examples/incidents/redis_lock.log";

class Explaining : public WithFiles {
  protected:
    // Explains the text of a log.
    Ran explained(const std::string& log, const std::string& model,
                  const std::vector<std::string>& further = {}) {
        std::vector<std::string> arguments = {"explain", write("night.log", log), "--model", model};
        arguments.insert(arguments.end(), further.begin(), further.end());
        return run(arguments);
    }
};

TEST_F(Explaining, TheRunIsSavedAsAScenarioThatRunReplays) {
    const std::string saved = path("night.json");
    const Ran ran = run({"explain", kNight, "--model", "lease:ttl=1s", "--save", saved});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "written: " + saved)) << ran.out;
    const nlohmann::json scenario = nlohmann::json::parse(read_whole(saved));
    EXPECT_EQ("lease_service", scenario["system"]);
    EXPECT_EQ(nlohmann::json::array({"belief-overlap", "unprotected-effect"}),
              scenario["expect"]["properties"]);
    const Ran again = run({"run", saved});
    EXPECT_EQ(kExitPassed, again.exit_code) << again.out << again.err;
    // And would not pass if it came to something else.
    std::string other = read_whole(saved);
    const std::string both = R"(["belief-overlap", "unprotected-effect"])";
    other.replace(other.find(both), both.size(), R"(["belief-overlap"])");
    EXPECT_EQ(kExitViolated, run({"run", write("other.json", other)}).exit_code);
}

TEST_F(Explaining, ARepairedVariantSaysWhyItCannotHappenThere) {
    const Ran ran = run({"explain", kNight, "--model", "lease:ttl=1s", "--variant", "repaired"});
    EXPECT_TRUE(contains(ran.out, "lease_service/repaired: w1's effect")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "redis_lock.log:11: 13.601 w1 wrote ledger")) << ran.out;
    EXPECT_TRUE(contains(ran.out,
                         "cannot happen there, because w1 gives up lock: its own deadline "
                         "has come at 13.000: it holds no longer"))
        << ran.out;
}

// Obviously right: what a correct lock does, a repaired one does, too.
TEST_F(Explaining, ANightInWhichNothingWentWrongCanHappenEverywhere) {
    const std::string log =
        "1.000 a trying\n1.001 a acquired\n1.100 a wrote ledger\n1.200 b trying\n1.201 b busy\n"
        "1.300 a releasing\n1.301 a released\n1.400 b trying\n1.401 b acquired\n";
    for (const char* model : {"lease:ttl=1s", "mutex", "lease_db:ttl=15s"}) {
        const std::string saved = path("right.json");
        const Ran ran =
            explained(log, model, {"--save", saved, "--force", "--variant", "repaired"});
        EXPECT_EQ(kExitPassed, ran.exit_code) << model << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "/repaired: this can happen there, too: lk1:"))
            << model << ran.out;
        EXPECT_EQ(kExitPassed, run({"run", saved}).exit_code) << model;
    }
}

TEST_F(Explaining, ThreePlacesAreThoseOfASemaphore) {
    const std::string log =
        "1.000 a acquired\n1.100 b acquired\n1.200 c acquired\n1.300 d trying\n1.301 d busy\n"
        "1.400 a releasing\n1.401 a released\n1.500 d trying\n1.501 d acquired\n";
    const std::string saved = path("three.json");
    const Ran ran = explained(log, "canal/faithful:max_per=3", {"--save", saved, "--lost", "0"});
    EXPECT_TRUE(contains(ran.out, "the run in steps of canal/faithful: lk1:"))
        << ran.out << ran.err;
    const Ran again = run({"run", saved});
    EXPECT_EQ(kExitPassed, again.exit_code) << again.out << again.err;
    const Ran two = explained(log, "canal/faithful:max_per=2", {"--lost", "0"});
    EXPECT_EQ(kExitViolated, two.exit_code);
    EXPECT_TRUE(contains(two.out, "canal/faithful has no such run: c's acquire")) << two.out;
}

// A lock with a bug has runs that no correct lock has.
TEST_F(Explaining, TwoHoldersAreARunOfABrokenLockAndNotOfTheSoundOne) {
    const std::string log =
        "1.000 a trying\n1.100 a acquired\n2.000 b trying\n2.100 b acquired\n3.000 a releasing\n"
        "3.100 a released\n4.000 b releasing\n4.100 b released\n";
    const Ran broken = explained(log, "canal_broken/grants_at_cap:max_per=1", {"--lost", "0"});
    EXPECT_EQ(kExitViolated, broken.exit_code) << broken.out << broken.err;
    EXPECT_TRUE(contains(broken.out, "the run in steps of canal_broken/")) << broken.out;
    const Ran sound = explained(log, "canal:max_per=1", {"--lost", "0"});
    EXPECT_TRUE(contains(sound.out, "canal/faithful has no such run: b's acquire")) << sound.out;
}

// The logs of the locks a, b and c; two callers hold one of them at once.
std::string three_locks(char held_twice) {
    std::string log;
    const auto add = [&](const char* time, const char* caller, const char* did, const char* lock) {
        log += fmt::format(
            R"({{"time": "2026-01-01T00:00:{}Z", "caller": "{}", "msg": "{}", "key": "{}"}})"
            "\n",
            time, caller, did, lock);
    };
    for (const char* lock : {"a", "b", "c"}) {
        add("12.100", "w1", "acquiring", lock);
        add("12.200", "w1", "acquired", lock);
        if (*lock == held_twice) {
            add("12.250", "w2", "acquired", lock);
        }
        add("12.300", "w1", "releasing", lock);
        add("12.400", "w1", "released", lock);
    }
    return log;
}

// A lock whose run cannot be written leaves the others their answers.
TEST_F(Explaining, EachOfSeveralLocksIsSavedInAFileOfItsOwn) {
    const Ran ran =
        explained(three_locks('b'), "mutex", {"--lost", "0", "--save", path("some.json")});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "written: " + path("some.json"))) << ran.out;
    EXPECT_TRUE(contains(ran.out, "of this lock nothing is written or compared")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "lock c\n")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "written: " + path("some-3.json"))) << ran.out;
    for (const char* saved : {"some.json", "some-3.json"}) {
        EXPECT_EQ(kExitPassed, run({"run", path(saved)}).exit_code) << saved;
    }
    EXPECT_FALSE(std::filesystem::exists(path("some-2.json")));
}
TEST_F(Explaining, WhereTheFirstOfSeveralLocksCannotBeSavedTheOthersAre) {
    const Ran ran =
        explained(three_locks('a'), "mutex", {"--lost", "0", "--save", path("some.json")});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "of this lock nothing is written or compared")) << ran.out;
    EXPECT_FALSE(std::filesystem::exists(path("some.json")));
    for (const char* saved : {"some-2.json", "some-3.json"}) {
        EXPECT_EQ(kExitPassed, run({"run", path(saved)}).exit_code) << saved;
    }
}

TEST_F(Explaining, WhatThereIsNotIsRefusedInOneLine) {
    EXPECT_EQ(kExitUsage, explained("1.0 a acquired\n", "canal/none:max_per=1").exit_code);
    EXPECT_EQ(kExitUsage, explained("1.0 a acquired\n", "lease_db").exit_code);
    EXPECT_EQ(kExitUsage, explained("1.0 a acquired\n", "mutex", {"--variant", "none"}).exit_code);
    const Ran none = explained(
        "1.0 a acquired\n2.0 b acquired\n3.0 a releasing\n3.1 a released\n4.0 b releasing\n"
        "4.1 b released\n",
        "mutex", {"--lost", "0", "--save", path("none.json")});
    EXPECT_EQ(kExitInput, none.exit_code);
    expect_one_line(none, "no run explains these lines");
    const std::string mine = write("mine.json", "{}");
    const Ran foreign = run({"explain", kNight, "--model", "lease:ttl=1s", "--save", mine});
    EXPECT_NE(kExitViolated, foreign.exit_code);
    EXPECT_EQ("{}", read_whole(mine));
}

TEST_F(Explaining, FormatsThatDrawRunsDrawThisOne) {
    for (const char* format : {"mermaid", "shiviz", "markdown", "junit", "sarif", "svg"}) {
        const Ran ran = run({"explain", kNight, "--model", "lease:ttl=1s", "--format", format});
        EXPECT_EQ(kExitViolated, ran.exit_code) << format << ran.err;
        EXPECT_TRUE(contains(ran.out, "w1")) << format << ":\n" << ran.out;
    }
    const Ran drawn = run({"explain", kNight, "--model", "lease:ttl=1s", "--format", "shiviz"});
    EXPECT_TRUE(contains(drawn.out, "13.601 w1 wrote ledger -> does not hold (violation)"))
        << drawn.out;
}

TEST_F(Explaining, ThePageHasAStepForEachLineAndABarWhileACallerHolds) {
    if (!why_no_pages().empty()) {
        GTEST_SKIP() << why_no_pages();
    }
    const Ran ran =
        run({"explain", kNight, "--model", "lease:ttl=1s", "--report", path("night.html")});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "verdict: violated")) << ran.out;
    const nlohmann::json page = page_data_of(read_whole(path("night.html")));
    expect_whole_page(page);
    const nlohmann::json& shown = page["violations"][0];
    std::size_t lines = 0;
    std::size_t violating = 0;
    for (const auto& step : shown["trace"]) {
        lines += contains(step["text"], "redis_lock.log:") ? 1 : 0;
        violating += step["violates"].empty() ? 0 : 1;
    }
    EXPECT_EQ(13U, lines);
    EXPECT_EQ(1U, violating);
    EXPECT_EQ("unprotected-effect", shown["property"]);
    EXPECT_EQ(kNight + ":1", shown["trace"][0]["source"]);
}

TEST_F(Explaining, ThePageHoldsTheAnswerThatJsonPrints) {
    if (!why_no_pages().empty()) {
        GTEST_SKIP() << why_no_pages();
    }
    const Ran json =
        explained(three_locks('b'), "mutex", {"--format", "json", "--report", path("locks.html")});
    const nlohmann::json locks = nlohmann::json::parse(json.out)["locks"];
    const nlohmann::json page = page_data_of(read_whole(path("locks.html")));
    EXPECT_EQ("", testing_scenarios::report_complaint(page.dump(), "result.schema.json"));
    ASSERT_EQ(3U, locks.size());
    ASSERT_EQ(3U, page["files"].size());
    for (std::size_t i = 0; i < locks.size(); ++i) {
        EXPECT_EQ(locks[i], page["files"][i]["explained"]);
    }
}

// All that reports draw is in the published document: whoever has it can draw the same.
TEST_F(Explaining, TheLanesAreThoseOfThePublishedDocument) {
    const Ran json = explained(three_locks('b'), "mutex", {"--format", "json"});
    nlohmann::ordered_json lock = nlohmann::ordered_json::parse(json.out)["locks"][0];
    lock["callers"][0] = "w9";
    for (auto& moment : lock["run"]["moments"]) {
        moment["caller"] = "w9";
        if (!moment["line"].is_null()) {
            moment["line"]["text"] = "a line";
        }
    }
    for (auto& holding : lock["run"]["holdings"]) {
        holding["caller"] = "w9";
    }
    const RunReport report = incident_report(lock, "mutex", 0);
    ASSERT_TRUE(report.replayed);
    const Trace& trace = *report.replayed;
    EXPECT_EQ("w9", trace.parties[0].name);
    ASSERT_EQ(6U, trace.steps.size());
    EXPECT_EQ(4U, trace.history.size());
    std::size_t lines = 0;
    for (const TraceStep& step : trace.steps) {
        lines += contains(step.text, "a line") ? 1 : 0;
    }
    EXPECT_EQ(4U, lines);
    EXPECT_TRUE(contains(trace.steps[2].state, "held by w9")) << trace.steps[2].state;
}

}  // namespace
}  // namespace lockkeeper

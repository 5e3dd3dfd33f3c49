// SPDX-License-Identifier: Apache-2.0

// The verb `run`: each difference between what is expected and what happens is told.
#include "work/expectation.hpp"

#include <fmt/format.h>

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

class ExpectationTest : public WithFiles {
  protected:
    // Tests the pair with these keys by `run`.
    [[nodiscard]] Ran tested(const std::string& keys) const {
        return run({"run", write_pair("a.json", keys)});
    }
    // Explores the pair as it is now; the numbers themselves are pinned with the scenarios.
    [[nodiscard]] nlohmann::json explored() const {
        const Ran ran = run({"explore", write_pair("b.json", R"("check": ["leak"], )"),
                             "--keep-going", "--format", "json"});
        return nlohmann::json::parse(ran.out)["files"][0];
    }
    void expect_difference(const std::string& keys, const std::string& difference) const {
        const Ran ran = tested(keys);
        EXPECT_EQ(kExitViolated, ran.exit_code) << keys;
        EXPECT_TRUE(contains(ran.out, "FAILED     " + path("a.json") + "  " + difference + "\n"))
            << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "0 passed, 1 failed\n"));
    }
};

constexpr const char* kLeak = R"("check": ["leak"], )";

std::string with(const std::string& expect) {
    return std::string(kLeak) + R"("expect": {"verdict": "violated", )" + expect + "}, ";
}

TEST_F(ExpectationTest, Met) {
    const auto numbers = explored();
    const Ran ran = tested(with(fmt::format(
        R"("properties": ["leak"], "steps": 22, "complete": true, "states": {},
           "transitions": {}, "terminal_states": {}, "interleavings": {})",
        numbers["states"].dump(), numbers["transitions"].dump(), numbers["terminal_states"].dump(),
        numbers["interleavings"].dump())));
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(
        contains(ran.out, "ok         " + path("a.json") + "  violated: P2 leak in 22 steps, "));
}

TEST_F(ExpectationTest, Differences) {
    expect_difference(kLeak,
                      "/expect/verdict: expected passed, actual violated: P2 leak in 22 steps");
    expect_difference(with(R"("properties": ["leak", "deadlock"])"),
                      "/expect/properties: expected deadlock, leak, actual leak");
    expect_difference(with(R"("steps": 21)"), "/expect/steps: expected 21, actual 22");
    expect_difference(with(R"("complete": false)"),
                      "/expect/complete: expected false, actual true");
    expect_difference(R"("check": ["over-allocation"], "expect": {"verdict": "violated"}, )",
                      "/expect/verdict: expected violated, actual passed");
    const auto numbers = explored();
    for (const char* name : {"states", "transitions", "terminal_states"}) {
        expect_difference(with(fmt::format(R"("{}": 1)", name)),
                          fmt::format("/expect/{}: expected 1, actual {}", name,
                                      with_commas(numbers[name].get<std::uint64_t>())));
    }
    expect_difference(
        with(R"("interleavings": "1")"),
        "/expect/interleavings: expected 1, actual " + numbers["interleavings"].get<std::string>());
}

TEST_F(ExpectationTest, CountersAndResults) {
    const auto in_order = [](const std::string& expect) {
        return R"("check": [], "order": ["A1", "A2", "A1"], "expect": {)" + expect + "}, ";
    };
    EXPECT_EQ(
        kExitPassed,
        tested(
            in_order(
                R"("counters": {"db": [2, 0]}, "results": {"A1": [1, "ok"], "A2": ["acquired"]})"))
            .exit_code);
    expect_difference(in_order(R"("counters": {"db": [0, 0]})"),
                      "/expect/counters/db: expected [0,0], actual [2,0]");
    expect_difference(in_order(R"("results": {"A1": [1, "full"]})"),
                      "/expect/results/A1/1: expected full, actual ok");
    expect_difference(in_order(R"("results": {"A1": [1]})"),
                      "/expect/results/A1/1: expected no further call, actual ok");
    expect_difference(in_order(R"("results": {"A2": [2, "ok"]})"),
                      "/expect/results/A2/1: expected ok, actual no further call");
}

TEST_F(ExpectationTest, LimitsAreUndecided) {
    const std::string file = write_pair("a.json", R"("check": ["over-allocation"], )");
    const Ran ran = run({"run", file, "--max-states", "10"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "UNDECIDED  " + file));
    EXPECT_TRUE(contains(ran.out, "0 passed, 0 failed, 1 undecided\n"));
    EXPECT_EQ(kExitPassed, tested(R"("check": ["over-allocation"], "limits": {"states": 10},
                     "expect": {"verdict": "inconclusive"}, )")
                               .exit_code);
}

// The single counter leaks in its third step, 37 states are there in all.
TEST_F(ExpectationTest, ALimitLeavesOpenWhatComesAfterAnExpectedViolation) {
    const auto cut = [&](const std::string& expect) {
        const std::string file =
            write("a.json", R"({"version": 1, "system": "single_counter", "check": ["leak"],
                "expect": {"verdict": "violated", )" +
                                expect + R"(}, "callers": [
                {"name": "A", "count": 2, "script": [
                    {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]},
                {"name": "B", "script": [
                    {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})");
        return run({"run", file, "--max-states", "30"});
    };
    for (const std::string open :
         {R"("complete": true)", R"("complete": true, "properties": ["leak"], "steps": 3)",
          R"("states": 37)", R"("complete": true, "transitions": 60)"}) {
        const Ran ran = cut(open);
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << open << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "UNDECIDED  " + path("a.json"))) << ran.out;
    }
    for (const std::string contradicted :
         {R"("complete": true, "steps": 4)", R"("complete": true, "states": 10)",
          R"("complete": true, "properties": ["deadlock"])"}) {
        EXPECT_EQ(kExitViolated, cut(contradicted).exit_code) << contradicted;
    }
}

TEST_F(ExpectationTest, FailureLeavesItsTrace) {
    const Ran ran = run({"run", write_pair("a.json", kLeak), "--out", path("out")});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "           written: " + path("out/leak-")));
}

TEST(ResultsOf, ExitsAndDeathsAreTold) {
    Trace trace;
    trace.history = {{0, 0, HistoryType::kInvoke, Verb::kAcquire, 0, 0},
                     {1, 0, HistoryType::kOk, Verb::kAcquire, 0, 3},
                     {2, 1, HistoryType::kFail, Verb::kAcquire, 0, 0},
                     {3, 0, HistoryType::kInvoke, Verb::kExit, 0, 0},
                     {3, 0, HistoryType::kInfo, Verb::kExit, 0, 0}};
    EXPECT_EQ((std::vector<std::string>{"3", "died"}), results_of(trace, 0, true));
    EXPECT_EQ((std::vector<std::string>{"acquired", "died"}), results_of(trace, 0, false));
    EXPECT_EQ((std::vector<std::string>{"full"}), results_of(trace, 1, true));
}

}  // namespace
}  // namespace lockkeeper

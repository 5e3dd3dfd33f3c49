// SPDX-License-Identifier: Apache-2.0

// A page says what it leaves out. Whole pages are tested in app/page_test.cpp.
#include "reports/page_data.hpp"

#include <gmock/gmock.h>

#include "reports/html_page.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

using OrderedJson = nlohmann::ordered_json;

// A replayed run with this many steps of one caller.
RunReport replayed(std::size_t steps) {
    RunReport report;
    report.command = "replay";
    report.file = "a.json";
    Trace& trace = report.replayed.emplace();
    trace.parties = {{"A", Doer::kCaller}, {"servers", Doer::kServers}};
    trace.keys = {"db"};
    trace.fields = {{ShownKind::kCounter, {}, 0, 1}, {ShownKind::kDead, 0, {}, 0}};
    trace.initial_values = {0, 0};
    trace.features = kHasCapacity;
    for (std::size_t i = 0; i < steps; ++i) {
        TraceStep& step = trace.steps.emplace_back();
        step.text = "A acquire: step";
        step.changes = {{0, static_cast<std::int32_t>(i + 1)}};
    }
    return report;
}

OrderedJson data_of(std::vector<RunReport> reports, const PageLimits& limits,
                    const std::string& text = "") {
    Results results(ResultsKind::kRuns);
    results.command = "replay";
    results.files = std::move(reports);
    results.cases_count = results.files.size();
    return page_content(results, text, limits).data;
}

TEST(PageData, OfALongRunTheBeginningIsShownAndThePageSaysSo) {
    PageLimits limits;
    limits.run_steps = 3;
    const OrderedJson data = data_of({replayed(5)}, limits);
    EXPECT_EQ(3U, data["runs"][0]["steps"].size());
    EXPECT_EQ("the first 3 of 5 steps are shown", data["runs"][0]["cut"]);
    EXPECT_FALSE(data_of({replayed(3)}, limits)["runs"][0].contains("cut"));
}

TEST(PageData, RunsBeyondTheLimitAreLeftOutWithAWarning) {
    PageLimits limits;
    limits.all_steps = 8;
    const OrderedJson data = data_of({replayed(5), replayed(5), replayed(3)}, limits);
    EXPECT_EQ(2U, data["runs"].size());
    EXPECT_EQ("1 run left out: the page has no more than 8 steps", data["summary"]["warnings"][0]);
    EXPECT_FALSE(data["files"][1].contains("runs"));
    EXPECT_EQ(OrderedJson::array({1}), data["files"][2]["runs"]);
}

TEST(PageData, ALongReportIsCutAtALine) {
    PageLimits limits;
    limits.text_bytes = 11;
    const OrderedJson data = data_of({replayed(1)}, limits, "first\nsecond\nthird\n");
    EXPECT_EQ("first\n... 14 bytes left out\n", data["text"]);
}

// A field that never changes says nothing, except a counter.
TEST(PageData, FieldsThatNeverChangeAreLeftOutOfARun) {
    const OrderedJson data = data_of({replayed(2)}, {});
    ASSERT_EQ(1U, data["runs"][0]["fields"].size());
    EXPECT_EQ("db[1]", data["runs"][0]["fields"][0]["name"]);
    EXPECT_EQ(OrderedJson::array({OrderedJson::array({0, 2})}),
              data["runs"][0]["steps"][1]["changes"]);
}

TEST(PageData, ARunWithoutWordsIsNoRunOfThePage) {
    RunReport report = replayed(2);
    report.replayed->parties.clear();
    EXPECT_FALSE(data_of({report}, {}).contains("runs"));
}

TEST(PageData, SeedsThatABrowserWouldRoundAreText) {
    RunReport report = replayed(1);
    report.seed = UINT64_MAX;
    const OrderedJson data = data_of({report}, {});
    EXPECT_FALSE(data["summary"].contains("seed"));
    EXPECT_EQ(OrderedJson::array({"seed", "18446744073709551615"}),
              data["summary"]["facts"].back());
}

TEST(PageData, TextThatIsNoUtf8IsReplaced) {
    if (!why_no_pages().empty()) {
        GTEST_SKIP() << why_no_pages();
    }
    RunReport report = replayed(1);
    report.file = "a\xff.json";
    Results results(ResultsKind::kRuns);
    results.files = {report};
    EXPECT_THAT(written(*find_format("html"), results), testing::HasSubstr("a\xef\xbf\xbd.json"));
}

JudgedHistory history_of(std::size_t operations) {
    JudgedHistory judged;
    judged.model = "mutex";
    for (std::size_t i = 0; i < operations; ++i) {
        const std::string process = std::to_string(i % 2);
        for (const HistoryType type : {HistoryType::kInvoke, HistoryType::kOk}) {
            Record& record = judged.history.records.emplace_back();
            record.type = type;
            record.process = process;
            record.f = "acquire";
        }
    }
    return judged;
}

TEST(PageHistory, TimesThatAreMissingAreThePlacesInTheFile) {
    std::vector<std::string> warnings;
    const OrderedJson json = page_history(history_of(2), warnings);
    EXPECT_EQ("records", json["unit"]);
    EXPECT_EQ(OrderedJson::array({1, 3}), json["call"]);
    EXPECT_EQ(OrderedJson::array({2, 4}), json["return"]);
    EXPECT_EQ("oo", json["outcome"]);
    EXPECT_TRUE(warnings.empty());
}

TEST(PageHistory, TimesCountFromTheFirst) {
    JudgedHistory judged = history_of(1);
    judged.history.records[0].time = 1'000'000'000'000'000'005;
    judged.history.records[1].time = 1'000'000'000'000'000'009;
    judged.history.units_per_second = 1'000'000'000;
    std::vector<std::string> warnings;
    const OrderedJson json = page_history(judged, warnings);
    EXPECT_EQ("ns", json["unit"]);
    EXPECT_EQ(OrderedJson::array({0}), json["call"]);
    EXPECT_EQ(OrderedJson::array({4}), json["return"]);
}

// The operation that cannot be placed is shown whatever is left out.
TEST(PageHistory, OfALongHistoryThePieceWithTheViolationIsShown) {
    JudgedHistory judged = history_of(1'100);
    Explanation& explanation = judged.check.explanations.emplace_back();
    explanation.verdict = Violated{};
    explanation.order = {0, 2 * 1'050};
    explanation.invocation = 2 * 1'099;
    std::vector<std::string> warnings;
    const OrderedJson json = page_history(judged, warnings, {.operations = 1'000});
    EXPECT_EQ(1'000U, json["process"].size());
    EXPECT_EQ(999, json["explanations"][0]["unplaced"]);
    EXPECT_EQ(1, json["explanations"][0]["cut"]);
    ASSERT_EQ(1U, warnings.size());
    EXPECT_EQ("the page shows 1,000 of 1,100 operations, from number 101 on", warnings[0]);
}

TEST(PageHistory, OfALongOrderTheEndIsShown) {
    JudgedHistory judged = history_of(9);
    judged.check.explanations.emplace_back().order = {0, 2, 4, 6};
    std::vector<std::string> warnings;
    const OrderedJson one = page_history(judged, warnings, {.order = 3})["explanations"][0];
    EXPECT_EQ(OrderedJson::array({1, 2, 3}), one["order"]);
    EXPECT_EQ(1, one["cut"]);
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// A run, a history, a long report in a page and its document. Whole pages are tested in
// app/page_test.cpp.
#include <gmock/gmock.h>

#include "model/json.hpp"
#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

using OrderedJson = nlohmann::ordered_json;
using testing::HasSubstr;

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

Results replay_results(RunReport report) {
    Results results(ResultsKind::kRuns);
    results.command = "replay";
    results.files = {std::move(report)};
    results.cases_count = results.files.size();
    return results;
}

OrderedJson file_in(RunReport report) {
    return OrderedJson::parse(
        written(*find_format("json"), replay_results(std::move(report))))["files"][0];
}

TEST(RunJson, TheBeginningOfALongRunIsShownAndSaysSo) {
    const RunReport report = replayed(5);
    const OrderedJson run = run_json({.trace = *report.replayed, .steps_max = 3});
    EXPECT_EQ(3U, run["trace"].size());
    EXPECT_EQ("the first 3 of 5 steps are shown", run["cut"]);
    EXPECT_FALSE(run_json({.trace = *report.replayed, .steps_max = 5}).contains("cut"));
}

// A field that never changes says nothing, except a counter.
TEST(RunJson, FieldsThatNeverChangeAreLeftOutOfARun) {
    const OrderedJson file = file_in(replayed(2));
    ASSERT_EQ(1U, file["fields"].size());
    EXPECT_EQ("db[1]", file["fields"][0]["name"]);
    EXPECT_EQ(OrderedJson::array({OrderedJson::array({0, 2})}), file["trace"][1]["changes"]);
}

TEST(RunJson, ARunWithoutWordsHasItsStepsAlone) {
    RunReport report = replayed(2);
    report.replayed->parties.clear();
    const OrderedJson file = file_in(report);
    EXPECT_EQ(2U, file["trace"].size());
    EXPECT_FALSE(file.contains("parties"));
    EXPECT_FALSE(file["trace"][0].contains("party"));
}

// A program may fail before its first step: the explorer shows why, and asks for these.
TEST(RunJson, TheExplorersRunHasItsKeysAlsoBeforeTheFirstStep) {
    Trace none;
    none.divergences.push_back({0, "it answered nonsense"});
    const OrderedJson run = run_json({.trace = none});
    for (const char* key :
         {"properties", "parties", "keys", "fields", "initial_values", "operations", "messages"}) {
        EXPECT_TRUE(run.contains(key) && run[key].is_array() && run[key].empty()) << key;
    }
    EXPECT_EQ("it answered nonsense", run["divergences"][0]["reason"]);
}

std::string html_of(const RunReport& report) {
    return written(*find_format("html"), replay_results(report));
}

TEST(Page, RunsWithMoreStepsThanABrowserShowsAreLeftOutAndThePageSaysSo) {
    const std::string html = html_of(replayed(300'001));
    EXPECT_THAT(html, HasSubstr("the runs are left out: they have 300,001 steps, and a page has at "
                                "most 300,000"));
    EXPECT_THAT(html, HasSubstr(R"({"command":"replay"})"));
    EXPECT_EQ(std::string::npos, html.find(R"("initial_state":)"));
}

TEST(Page, ALongReportIsCutAtALine) {
    RunReport report = replayed(3'000);
    for (TraceStep& step : report.replayed->steps) {  // steps that are alike are written once
        step.text = std::string(80, 'x') + std::to_string(step.changes.front().value);
    }
    const std::string html = html_of(report);
    const std::size_t cut = html.find(" left out\n</pre>");
    ASSERT_NE(std::string::npos, cut);
    EXPECT_EQ("\n... ", html.substr(html.rfind('\n', cut), 5));
    EXPECT_EQ(std::string::npos, html_of(replayed(2)).find(" left out\n</pre>"));
}

TEST(Page, TheSeedIsText) {
    RunReport report = replayed(1);
    report.seed = UINT64_MAX;
    EXPECT_THAT(html_of(report), HasSubstr("<dt>seed</dt><dd>18446744073709551615</dd>"));
}

TEST(Page, TextThatIsNoUtf8IsReplaced) {
    RunReport report = replayed(1);
    report.file = "a\xff.json";
    EXPECT_THAT(html_of(report), HasSubstr("a\xef\xbf\xbd.json"));
}

RecordedHistory history_of(std::size_t operations) {
    RecordedHistory history;
    for (std::size_t i = 0; i < operations; ++i) {
        const std::string process = std::to_string(i % 2);
        for (const HistoryType type : {HistoryType::kInvoke, HistoryType::kOk}) {
            Record& record = history.records.emplace_back();
            record.type = type;
            record.process = process;
            record.f = "acquire";
        }
    }
    return history;
}

TEST(HistoryCalls, TimesThatAreMissingAreThePlacesInTheFile) {
    const OrderedJson json = history_calls(history_of(2));
    EXPECT_EQ("records", json["unit"]);
    EXPECT_EQ(OrderedJson::array({1, 3}), json["call"]);
    EXPECT_EQ(OrderedJson::array({2, 4}), json["return"]);
    EXPECT_EQ("oo", json["outcome"]);
}

TEST(HistoryCalls, TimesCountFromTheFirst) {
    RecordedHistory history = history_of(1);
    history.records[0].time = 1'000'000'000'000'000'005;
    history.records[1].time = 1'000'000'000'000'000'009;
    history.units_per_second = 1'000'000'000;
    const OrderedJson json = history_calls(history);
    EXPECT_EQ("ns", json["unit"]);
    EXPECT_EQ(OrderedJson::array({0}), json["call"]);
    EXPECT_EQ(OrderedJson::array({4}), json["return"]);
}

}  // namespace
}  // namespace lockkeeper

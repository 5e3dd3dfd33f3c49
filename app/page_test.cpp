// SPDX-License-Identifier: Apache-2.0

// Pages from end to end: --report FILE.html of each verb. What a browser makes of them is tested in
// reports/web/test.
#include "app/command_test.hpp"
#include "app/page_contract_test.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using Json = nlohmann::json;

std::string shipped(const std::string& name) {
    return std::string(LOCKKEEPER_SOURCE_DIR) + "/" + name;
}

class Pages : public WithFiles {
  protected:
    void SetUp() override {
        WithFiles::SetUp();
        if (!why_no_pages().empty()) {
            GTEST_SKIP() << why_no_pages();
        }
    }
    // The page of a command, as text.
    [[nodiscard]] std::string html_of(std::vector<std::string> arguments, int exit_code) const {
        arguments.insert(arguments.end(), {"--report", path("page.html"), "--force"});
        const Ran ran = run(arguments);
        EXPECT_EQ(exit_code, ran.exit_code) << ran.out << ran.err;
        return read_whole(path("page.html"));
    }
    [[nodiscard]] Json page_of(const std::vector<std::string>& arguments, int exit_code) const {
        Json page = page_data_of(html_of(arguments, exit_code));
        if (page.contains("result_version")) {
            expect_whole_page(page);
        }
        return page;
    }
};

std::size_t count_steps(const Json& run, const char* name) {
    return static_cast<std::size_t>(
        std::count_if(run["trace"].begin(), run["trace"].end(), [&](const Json& step) {
            return step[name] == true || (step[name].is_array() && !step[name].empty());
        }));
}

TEST_F(Pages, AViolationHasItsRunWithValuesOperationsMessagesAndTheDecisiveStep) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    EXPECT_EQ("violated", page["verdict"]);
    const Json& run = page["violations"][0];
    EXPECT_EQ("leak", run["property"]);
    EXPECT_EQ(22U, run["trace"].size());
    EXPECT_EQ(4U, run["operations"].size());
    EXPECT_EQ(6U, run["messages"].size());
    EXPECT_EQ(1U, count_steps(run, "cause"));
    EXPECT_EQ(Json::array({"leak"}), run["trace"][21]["violates"]);
    EXPECT_EQ("manager", run["parties"][2]["name"]);
    EXPECT_EQ("update_counter db[1]", run["trace"][0]["label"]);
}

// The other way at the decisive step; the run before it is the same.
TEST_F(Pages, TheNearestRunThatPassesStandsBeside) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    ASSERT_EQ(1U, page["violations"].size());
    const Json& violating = page["violations"][0];
    const Json& passing = violating["nearest"];
    const auto parts = passing["differs_at"].get<std::size_t>();
    EXPECT_EQ(true, violating["trace"][parts - 1]["cause"]);
    for (std::size_t i = 0; i + 1 < parts; ++i) {
        EXPECT_EQ(violating["trace"][i]["action"], passing["trace"][i]["action"]);
    }
    EXPECT_NE(violating["trace"][parts - 1]["action"], passing["trace"][parts - 1]["action"]);
    EXPECT_EQ(0U, count_steps(passing, "violates"));
    EXPECT_FALSE(passing.contains("property"));
    // And its command shows it.
    const Ran again = run({"replay", path("a.json"), "--schedule", passing["schedule"]});
    EXPECT_EQ(kExitPassed, again.exit_code) << again.out;
}

// The other properties of the scenario were judged on the same run.
TEST_F(Pages, EveryPropertyThatWasJudgedHasAStrip) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    const Json& properties = page["violations"][0]["properties"];
    EXPECT_EQ("leak", properties[0]["name"]);
    EXPECT_GT(properties.size(), 5U);
}

TEST_F(Pages, APassHasItsNumbersAndNoRun) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": ["deadlock"], )")}, kExitPassed);
    EXPECT_EQ("passed", page["verdict"]);
    EXPECT_TRUE(page["violations"].empty());
    EXPECT_TRUE(page["files"][0]["trace"].is_null());
    EXPECT_GT(page["files"][0]["states"], 0);
}

TEST_F(Pages, ALivelockIsALoop) {
    const Json page = page_of({"explore", shipped("scenarios/canal/findings/livelock_crash.json")},
                              kExitViolated);
    const Json& run = page["violations"][0];
    EXPECT_EQ("livelock", run["property"]);
    EXPECT_LE(run["cycle_from"].get<std::size_t>(), run["trace"].size());
    EXPECT_FALSE(run.contains("nearest"));
}

TEST_F(Pages, AReplayShowsItsWholeRun) {
    const Json page =
        page_of({"replay", write_pair("a.json"), "--schedule", "lk1:1:s0*2,s1", "--check", "leak"},
                kExitPassed);
    const Json& run = page["files"][0];
    EXPECT_EQ(3U, run["trace"].size());
    EXPECT_EQ("lk1:1:s0*2,s1", run["schedule"]);
    EXPECT_EQ("open", run["operations"][1]["outcome"]);
}

TEST_F(Pages, ADirectoryIsATableOfFilesWithTheirRuns) {
    const Json page = page_of({"run", shipped("scenarios/single_counter")}, kExitPassed);
    EXPECT_EQ("run", page["command"]);
    EXPECT_GT(page["files"].size(), 5U);
    EXPECT_FALSE(page["violations"].empty());
    for (const Json& file : page["files"]) {
        EXPECT_EQ(true, file["met"]) << file;
    }
}

TEST_F(Pages, ARefusedFileStandsInTheTable) {
    const std::string bad = write("files/bad.json", "{");
    static_cast<void>(write_pair("files/good.json", R"("check": ["deadlock"], )"));
    const Json page = page_of({"run", path("files")}, kExitInput);
    ASSERT_EQ(2U, page["files"].size());
    EXPECT_EQ("error", page["files"][0]["verdict"]);
    EXPECT_EQ(bad, page["files"][0]["file"]);
}

TEST_F(Pages, RatesAreThoseOfTheDocument) {
    const std::string file = shipped("scenarios/measure/leak_two_callers.json");
    const Json page = page_of({"measure", file}, kExitPassed);
    const Json document = Json::parse(run({"measure", file, "--format", "json"}).out);
    EXPECT_EQ(document["files"][0]["points"][0]["result"]["properties"],
              page["files"][0]["points"][0]["result"]["properties"]);
}

TEST_F(Pages, AHistoryIsColumnsOfOperations) {
    const Json page = page_of({"validate", "--history",
                               shipped("examples/histories/mutex_bad.jsonl"), "--model", "mutex"},
                              kExitViolated);
    const Json& calls = page["calls"];
    const std::size_t count = calls["process"].size();
    EXPECT_EQ(page["operations"], count);
    for (const char* column : {"f", "key", "call", "return", "record"}) {
        EXPECT_EQ(count, calls[column].size()) << column;
    }
    EXPECT_EQ(count, calls["outcome"].get<std::string>().size());
    std::vector<Json> named(page["explanations"][0]["prefix"]);
    named.push_back(page["explanations"][0]["unplaced"]);
    for (const Json& operation : named) {
        EXPECT_EQ(1,
                  std::count(calls["record"].begin(), calls["record"].end(), operation["record"]));
    }
}

// Both of one command. JSON alone lacks what only a page asks for: the nearest run that passes, and
// what each step does to the other properties.
TEST_F(Pages, ThePageHoldsTheDocumentThatJsonHasBesideIt) {
    const std::string file = write_pair("a.json", R"("check": ["leak"], )");
    const std::string html =
        html_of({"explore", file, "--report", path("same.json")}, kExitViolated);
    EXPECT_EQ(Json::parse(read_whole(path("same.json"))), page_data_of(html));
}

// In the page it is text; in its script it cannot end the script. Names within a scenario cannot be
// hostile, its file and its prose can.
TEST_F(Pages, HostileNamesAreText) {
    const std::string about = "</script><b onclick='x'>&amp;<!--";
    const std::string file =
        write_pair("<b onclick='y'><!--.json", R"("check": ["leak"], "about": ")" + about + "\", ");
    const std::string html = html_of({"explore", file}, kExitViolated);
    EXPECT_FALSE(contains(html, "<b onclick"));
    EXPECT_TRUE(contains(html, "&lt;/script&gt;&lt;b onclick='x'&gt;&amp;amp;&lt;!--"));
    const Json page = page_data_of(html);
    expect_whole_page(page);
    EXPECT_EQ(file, page["violations"][0]["file"]);
}

TEST_F(Pages, TheFirstScreenIsReadableWithoutScript) {
    const std::string html =
        html_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    EXPECT_EQ(0U, html.find(kPageMark));
    const std::string words = html.substr(0, html.find("application/json"));
    for (const char* part :
         {"<title>violated: P2 leak in 22 steps - Lockkeeper</title>",
          "<h1>violated: P2 leak in 22 steps</h1>", "stopped at the first violation: 2 callers",
          "replay ", "--schedule 'lk1:1:"}) {
        EXPECT_TRUE(contains(words, part)) << part;
    }
}

TEST_F(Pages, AFileThatIsNoPageIsNotReplaced) {
    const std::string own = write("own.html", "<!doctype html><p>mine</p>");
    const std::string file = write_pair("a.json", R"("check": ["deadlock"], )");
    const Ran ran = run({"explore", file, "--report", own});
    EXPECT_EQ(kExitInput, ran.exit_code);
    EXPECT_EQ("<!doctype html><p>mine</p>", read_whole(own));
    // One that the command has written is.
    EXPECT_EQ(kExitPassed, run({"explore", file, "--report", path("p.html")}).exit_code);
    EXPECT_EQ(kExitPassed, run({"explore", file, "--report", path("p.html")}).exit_code);
}

// The steps, as the document has them; nothing is run again.
TEST_F(Pages, AReportOfADocumentShowsItsRuns) {
    const std::string file = write_pair("a.json", R"("check": "safety", )");
    const std::string results =
        write("results.json", run({"explore", file, "--format", "json"}).out);
    std::filesystem::remove(file);
    const Ran ran = run({"report", results, "-o", path("page.html")});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P2 leak in 22 steps\n")) << ran.out;
    const Json page = page_data_of(read_whole(path("page.html")));
    expect_whole_page(page);
    EXPECT_EQ(22U, page["violations"][0]["trace"].size());
    EXPECT_EQ("A1", page["violations"][0]["parties"][0]["name"]);
}

TEST_F(Pages, AReportOfTracesReplaysThem) {
    const std::string file = write_pair("a.json", R"("check": ["leak"], )");
    EXPECT_EQ(kExitViolated, run({"explore", file, "--out", path("traces")}).exit_code);
    const Ran ran = run({"report", path("traces"), "-o", path("page.html")});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    const Json page = page_data_of(read_whole(path("page.html")));
    expect_whole_page(page);
    EXPECT_EQ("leak", page["violations"][0]["property"]);
    EXPECT_FALSE(page["violations"][0]["messages"].empty());
}

TEST_F(Pages, ADocumentThatIsBrokenIsRefusedWithItsPlace) {
    const std::string bad = write("bad.json", R"({"result_version": 2})");
    const Ran ran = run({"report", bad, "-o", path("page.html")});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "/result_version");
    EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

TEST_F(Pages, AReportNeedsAFile) {
    const Ran ran = run({"report", path("none.json")});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "report: -o FILE");
}

}  // namespace
}  // namespace lockkeeper

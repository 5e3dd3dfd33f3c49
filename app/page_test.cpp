// SPDX-License-Identifier: Apache-2.0

// Pages from end to end: --report FILE.html of each verb. What a browser makes of them is tested in
// reports/web/test.
#include "app/command_test.hpp"
#include "app/page_contract_test.hpp"
#include "reports/html_page.hpp"

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
        expect_whole_page(page);
        return page;
    }
};

std::size_t count_steps(const Json& run, const char* name) {
    return static_cast<std::size_t>(
        std::count_if(run["steps"].begin(), run["steps"].end(),
                      [&](const Json& step) { return step.contains(name); }));
}

TEST_F(Pages, AViolationHasItsRunWithValuesOperationsMessagesAndTheDecisiveStep) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    EXPECT_EQ("violated", page["summary"]["verdict"]);
    EXPECT_EQ("violated: P2 leak in 22 steps", page["summary"]["title"]);
    const Json& run = page["runs"][0];
    EXPECT_EQ("P2 leak in 22 steps", run["title"]);
    EXPECT_EQ("leak", run["property"]);
    EXPECT_EQ(22U, run["steps"].size());
    EXPECT_EQ(4U, run["operations"].size());
    EXPECT_EQ(6U, run["messages"].size());
    EXPECT_EQ(1U, count_steps(run, "decisive"));
    EXPECT_EQ(Json::array({"leak"}), run["steps"][21]["violates"]);
    EXPECT_EQ("manager", run["parties"][2]["name"]);
    EXPECT_EQ("update_counter db[1]", run["steps"][0]["label"]);
}

// The other way at the decisive step; the run before it is the same.
TEST_F(Pages, TheNearestRunThatPassesStandsBeside) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    ASSERT_EQ(2U, page["runs"].size());
    const Json& violating = page["runs"][0];
    const Json& passing = page["runs"][1];
    const auto parts = violating["nearest"]["differs_at"].get<std::size_t>();
    EXPECT_TRUE(violating["steps"][parts - 1].contains("decisive"));
    for (std::size_t i = 0; i + 1 < parts; ++i) {
        EXPECT_EQ(violating["steps"][i]["action"], passing["steps"][i]["action"]);
    }
    EXPECT_NE(violating["steps"][parts - 1]["action"], passing["steps"][parts - 1]["action"]);
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
    const Json& properties = page["runs"][0]["properties"];
    EXPECT_EQ("leak", properties[0]["name"]);
    EXPECT_GT(properties.size(), 5U);
}

TEST_F(Pages, APassHasItsNumbersAndNoRun) {
    const Json page =
        page_of({"explore", write_pair("a.json", R"("check": ["deadlock"], )")}, kExitPassed);
    EXPECT_EQ("passed", page["summary"]["verdict"]);
    EXPECT_FALSE(page.contains("runs"));
    EXPECT_EQ("distinct states", page["summary"]["facts"][2][0]);
}

TEST_F(Pages, ALivelockIsALoop) {
    const Json page = page_of({"explore", shipped("scenarios/canal/findings/livelock_crash.json")},
                              kExitViolated);
    const Json& run = page["runs"][0];
    EXPECT_EQ("livelock", run["property"]);
    EXPECT_LE(run["cycle_from"].get<std::size_t>(), run["steps"].size());
    EXPECT_FALSE(run.contains("nearest"));
}

TEST_F(Pages, AReplayShowsItsWholeRun) {
    const Json page =
        page_of({"replay", write_pair("a.json"), "--schedule", "lk1:1:s0*2,s1", "--check", "leak"},
                kExitPassed);
    ASSERT_EQ(1U, page["runs"].size());
    EXPECT_EQ(3U, page["runs"][0]["steps"].size());
    EXPECT_EQ("passed after 3 steps", page["runs"][0]["title"]);
    EXPECT_EQ("open", page["runs"][0]["operations"][1]["outcome"]);
}

TEST_F(Pages, ADirectoryIsATableOfFilesWithTheirRuns) {
    const Json page = page_of({"run", shipped("scenarios/single_counter")}, kExitPassed);
    EXPECT_EQ("run", page["command"]);
    EXPECT_GT(page["files"].size(), 5U);
    EXPECT_TRUE(std::any_of(page["files"].begin(), page["files"].end(),
                            [](const Json& file) { return file.contains("runs"); }));
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
    EXPECT_EQ("measured", page["summary"]["verdict"]);
    const Json document = Json::parse(run({"measure", file, "--format", "json"}).out);
    EXPECT_EQ(document["files"][0]["points"][0]["result"]["properties"],
              page["measure"][0]["points"][0]["result"]["properties"]);
}

TEST_F(Pages, AHistoryIsColumnsOfOperations) {
    const Json page = page_of({"validate", "--history",
                               shipped("examples/histories/mutex_bad.jsonl"), "--model", "mutex"},
                              kExitViolated);
    const Json& history = page["history"];
    const std::size_t count = history["process"].size();
    EXPECT_GT(count, 0U);
    for (const char* column : {"f", "key", "call", "return", "record"}) {
        EXPECT_EQ(count, history[column].size()) << column;
    }
    EXPECT_EQ(count, history["outcome"].get<std::string>().size());
    for (const Json& one : history["explanations"]) {
        expect_index(one["key"], history["keys"]);
        for (const Json& operation : one["order"]) {
            expect_index(operation, history["process"]);
        }
        expect_index(one["unplaced"], history["process"]);
    }
}

// In the page it is text; in its script it cannot end the script. Names within a scenario cannot be
// hostile, its file and its prose can.
TEST_F(Pages, HostileNamesAreText) {
    const std::string about = "</script><b onclick='x'>&amp;<!--";
    const std::string file =
        write_pair("<b onclick='y'><!--.json", R"("check": ["leak"], "about": ")" + about + "\", ");
    const std::string html = html_of({"explore", file}, kExitViolated);
    EXPECT_FALSE(contains(html, "<b onclick"));
    EXPECT_TRUE(contains(html, "&lt;/script&gt;&lt;b onclick=&#39;x&#39;&gt;&amp;amp;&lt;!--"));
    const Json page = page_data_of(html);
    expect_whole_page(page);
    EXPECT_EQ(about, page["summary"]["about"]);
    EXPECT_EQ(file, page["runs"][0]["file"]);
}

TEST_F(Pages, TheFirstScreenIsReadableWithoutScript) {
    const std::string html =
        html_of({"explore", write_pair("a.json", R"("check": "safety", )")}, kExitViolated);
    EXPECT_EQ(0U, html.find(kPageMark));
    const std::string words = html.substr(0, html.find("application/json"));
    for (const char* part :
         {"<title>violated: P2 leak in 22 steps - Lockkeeper</title>",
          "<h1>violated: P2 leak in 22 steps</h1>", "stopped at the first violation: 2 callers",
          "replay ", "--schedule &#39;lk1:1:"}) {
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
    EXPECT_EQ(22U, page["runs"][0]["steps"].size());
    EXPECT_EQ("A1", page["runs"][0]["parties"][0]["name"]);
}

TEST_F(Pages, AReportOfTracesReplaysThem) {
    const std::string file = write_pair("a.json", R"("check": ["leak"], )");
    EXPECT_EQ(kExitViolated, run({"explore", file, "--out", path("traces")}).exit_code);
    const Ran ran = run({"report", path("traces"), "-o", path("page.html")});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    const Json page = page_data_of(read_whole(path("page.html")));
    expect_whole_page(page);
    EXPECT_EQ("leak", page["runs"][0]["property"]);
    EXPECT_FALSE(page["runs"][0]["messages"].empty());
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

// SPDX-License-Identifier: Apache-2.0

// Every format of one real command, and what the formats ask of `run`.

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "reports/writer.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using Json = nlohmann::json;

class ReportFormats : public WithFiles {
  protected:
    // Two callers that leak, expected to pass.
    [[nodiscard]] std::string write_unmet(const std::string& more = "") const {
        return write_pair("unmet.json", R"("check": ["leak"],
            "expect": {"verdict": "passed"}, )" +
                                            more);
    }
    [[nodiscard]] Json sarif_results(const std::string& file) const {
        return Json::parse(read_whole(path(file)))["runs"][0]["results"];
    }
};

TEST_F(ReportFormats, OneCommandWritesThemAll) {
    std::vector<std::string> arguments{
        "explore", write_pair("leaks.json"), "--check", "leak", "--format", "junit"};
    for (const ReportFormat& format : report_formats()) {
        if (format.ending == ".html" && !why_no_pages().empty()) {
            continue;
        }
        arguments.insert(arguments.end(), {"--report", path("a" + std::string(format.ending))});
    }
    for (int i = 0; i < 2; ++i) {
        // The second time each replaces what the first wrote; of JSON nobody knows whose it is.
        if (i == 1) {
            std::filesystem::remove(path("a.json"));
        }
        const Ran ran = run(arguments);
        EXPECT_EQ(1, ran.exit_code) << ran.err;
        EXPECT_EQ("", testing_reports::complaint_about(ran.out)) << ran.out;
        EXPECT_EQ(ran.out, read_whole(path("a.junit.xml")));
        EXPECT_EQ("", testing_reports::complaint_about(read_whole(path("a.svg"))));
        for (const char* file : {"a.json", "a.sarif", "a.itf.json", "a.perfetto.json"}) {
            EXPECT_TRUE(Json::accept(read_whole(path(file)))) << file;
        }
    }
    EXPECT_TRUE(contains(read_whole(path("a.mmd")), "violates P2 leak"));
    EXPECT_TRUE(contains(read_whole(path("a.shiviz.log")), "(violation)\n"));
    EXPECT_TRUE(contains(read_whole(path("a.dot")), "; the first 200 states only, "));
    EXPECT_TRUE(contains(read_whole(path("a.md")), "1 failed"));
    EXPECT_TRUE(contains(read_whole(path("a.github.txt")), "::error file="));
}

TEST_F(ReportFormats, AFailedTestIsExplainedWhereAFormatShowsRuns) {
    const std::string file = write_unmet();
    EXPECT_EQ(1, run({"run", file, "--report", path("a.sarif")}).exit_code);
    const Json flow = sarif_results("a.sarif")[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    std::size_t decisive = 0;
    for (const Json& step : flow) {
        decisive += step["importance"] == "essential" ? 1U : 0U;
    }
    EXPECT_GT(decisive, 1U);
    EXPECT_LT(decisive, flow.size());
}

TEST_F(ReportFormats, ARunInOrderThatFailedIsShownWithItsWords) {
    const std::string file = write_unmet(R"("method": "order", "order": ["A1", "A2"], )");
    std::filesystem::remove(file);
    const std::string order =
        write_pair("order.json", R"("check": ["leak"], "method": "order", "order": ["A1", "A2"],
                         "expect": {"verdict": "violated", "properties": ["leak"]}, )");
    EXPECT_EQ(1, run({"run", order, "--report", path("a.junit.xml")}).exit_code);
    EXPECT_TRUE(contains(read_whole(path("a.junit.xml")), "A1 acquire: update_counter db[1]"));
}

TEST_F(ReportFormats, ACaseIsShownAtItsLine) {
    const std::string file = write("cases.json", R"({
  "version": 1, "system": "canal", "check": ["leak"],
  "parameters": {"table": {"warm": 2}},
  "callers": [{"name": "A", "count": 2, "script": [
      {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}],
  "cases": [
    {"name": "one", "expect": {"verdict": "violated"}},
    {"name": "two",
     "expect": {"verdict": "passed"}}
  ]
})");
    EXPECT_EQ(1, run({"run", file, "--report", path("a.sarif")}).exit_code);
    const Json results = sarif_results("a.sarif");
    ASSERT_EQ(1U, results.size());
    EXPECT_EQ(8, results[0]["locations"][0]["physicalLocation"]["region"]["startLine"]);
}

TEST_F(ReportFormats, ARefusedFileIsShownWhereItIsWrong) {
    const std::string file = write("bad.json", "{\n  \"version\": 1,\n  \"sistem\": \"canal\"\n}");
    EXPECT_EQ(65, run({"run", file, "--report", path("a.sarif")}).exit_code);
    const Json result = sarif_results("a.sarif")[0];
    EXPECT_EQ("not-run", result["ruleId"]);
    EXPECT_EQ(3, result["locations"][0]["physicalLocation"]["region"]["startLine"]);
}

TEST_F(ReportFormats, PathsBeginAtTheRootOfTheRepository) {
    std::filesystem::create_directories(path("repository/.git"));
    const std::string file = write("repository/locks/bad.json", "{");
    EXPECT_EQ(65, run({"run", file, "--report", path("a.sarif")}).exit_code);
    const Json place = sarif_results("a.sarif")[0]["locations"][0]["physicalLocation"];
    EXPECT_EQ("locks/bad.json", place["artifactLocation"]["uri"]);
}

TEST_F(ReportFormats, AnUndecidedTestIsAnErrorAndNotSkipped) {
    const std::string file = write_unmet(R"("limits": {"states": 10}, )");
    const Ran ran = run({"run", file, "--format", "junit"});
    EXPECT_EQ(2, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "<error type=\"undecided\"")) << ran.out;
}

TEST_F(ReportFormats, AUsageErrorIsADocumentToo) {
    const Ran ran = run({"run", "--format", "junit", "--seed", "<x>"});
    EXPECT_EQ(64, ran.exit_code);
    EXPECT_EQ("", testing_reports::complaint_about(ran.out)) << ran.out;
    EXPECT_TRUE(contains(ran.out, "<error type=\"exit code 64\""));
}

// Runs of every system: what the diagrams draw is what replay shows.
TEST_F(ReportFormats, RunsOfEverySystemAreDrawn) {
    for (const char* scenario : {"single_counter/timeline.json", "canal/findings",
                                 "leases/findings", "monglock/broken", "transactional/broken"}) {
        const std::string report = path("run.itf.json");
        static_cast<void>(
            run({"explore", kScenarios + scenario, "--max-states", "20000", "--report", report,
                 "--report", path("run.mmd"), "--report", path("run.shiviz.log"), "--report",
                 path("run.svg"), "--report", path("run.perfetto.json")}));
        const Json trace = Json::parse(read_whole(report));
        EXPECT_GT(trace["states"].size(), 2U) << scenario;
        EXPECT_GT(trace["vars"].size(), 6U) << scenario;
        EXPECT_EQ("", testing_reports::complaint_about(read_whole(path("run.svg")))) << scenario;
        EXPECT_TRUE(contains(read_whole(path("run.mmd")), "    Note over p0")) << scenario;
        EXPECT_FALSE(Json::parse(read_whole(path("run.perfetto.json")))["traceEvents"].empty());
    }
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/json.hpp"
#include "reports/writer.hpp"
#include "validate/threads/command/results.hpp"
#include "validate/threads/marked/mark_words.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
namespace {

using threads::ProgramResult;
using threads::ResultStep;

ResultStep thread_step(const char* thread, const char* what, const char* result,
                       const char* mark = "", std::uint64_t reads = 0) {
    ResultStep made;
    made.thread = thread;
    made.where = "limiter.cpp:12 (take)";
    made.file = "/nowhere/limiter.cpp:12";
    made.what = what;
    made.result = result;
    made.mark = mark;
    made.object = "limiter";
    made.reads = reads;
    return made;
}

ProgramResult violated_program(int property) {
    ProgramResult result;
    result.verdict = "violated";
    result.exit_code = 1;
    result.kind = result.detail = property == 0 ? "data race" : "P1 over-allocation";
    result.text = "two threads access one place";
    result.property = property;
    result.model = "c11";
    result.scope = "stopped at the first violation, model c11";
    result.replay = "lockkeeper threads --replay threads1:c11:ab -- ./limiter";
    result.printed = "violation: " + result.kind + "\n" + result.replay + "\n";
    result.steps = {thread_step("main", "starts T1", ""),
                    thread_step("main", "asks for limiter", "", "asks for"),
                    thread_step("main", "store used = 1", ""),
                    thread_step("main", "holds limiter", "", "holds"),
                    thread_step("T1", "load used", "reads 1 of step 3", "", 3),
                    thread_step("T1", "asks for limiter", "", "asks for"),
                    thread_step("T1", "holds limiter", "", "holds")};
    return result;
}

Results results_of_threads(const ProgramResult& result) {
    Results results;
    results.command = "threads";
    results.files_count = results.cases_count = 1;
    results.files.push_back(threads_report(result, "./limiter"));
    results.exit_code = exit_code_of(results);
    return results;
}

// Formats that show runs show this one, and how it is run again.
TEST(ThreadsReport, EveryFormatShowsTheRun) {
    for (const int property : {0, 1}) {
        const Results results = results_of_threads(violated_program(property));
        EXPECT_EQ(results.exit_code, kExitViolated);
        for (const char* name : {"text", "json", "markdown", "junit", "sarif", "html", "github"}) {
            const ReportFormat* format = find_format(name);
            ASSERT_NE(format, nullptr) << name;
            const std::string text = written(*format, results);
            const std::string kind = property == 0 ? "data race" : "over-allocation";
            EXPECT_NE(text.find(kind), std::string::npos) << name << ":\n" << text;
            EXPECT_NE(text.find("threads1:c11:ab"), std::string::npos) << name << ":\n" << text;
        }
    }
}

TEST(ThreadsReport, ThreadsAndLocksBeyondTheBarsHaveSteps) {
    ProgramResult result = violated_program(1);
    for (int number = 0; number < 300; ++number) {
        const std::string name = std::to_string(number);
        ResultStep step = thread_step("T", "holds", "", "holds");
        step.thread += name;
        step.object += name;
        result.steps.push_back(step);
    }
    const Results results = results_of_threads(result);
    const auto& finding = results.files.front().findings.front();
    EXPECT_EQ(finding.trace.steps.size(), result.steps.size());
    EXPECT_EQ(finding.trace.fields.size(), std::size_t{255} * 255);
    EXPECT_NE(written(*find_format("json"), results).find("T299"), std::string::npos);
}

TEST(ThreadsReport, SarifHasTheLinesOfTheTestedCode) {
    const std::string text =
        written(*find_format("sarif"), results_of_threads(violated_program(0)));
    EXPECT_NE(text.find("limiter.cpp"), std::string::npos) << text;
    EXPECT_NE(text.find("\"data-race\""), std::string::npos) << text;
    EXPECT_EQ(text.find("The two sides of a comparison"), std::string::npos) << text;
}

TEST(ThreadsReport, TheRunHasLanesBarsAndArrows) {
    const RunReport report = threads_report(violated_program(1), "./limiter");
    ASSERT_EQ(report.findings.size(), 1U);
    const Trace& trace = report.findings.front().trace;
    ASSERT_EQ(trace.parties.size(), 2U);
    EXPECT_EQ(trace.parties[1].name, "T1");
    ASSERT_EQ(trace.messages.size(), 1U);  // from the store to the load of the other thread
    EXPECT_EQ(trace.messages[0].sent, 3U);
    EXPECT_EQ(trace.messages[0].arrives, 5U);
    EXPECT_EQ(trace.history.size(), 4U);
    ASSERT_EQ(trace.steps[3].changes.size(), 1U);
    EXPECT_EQ(trace.steps[3].changes[0].value, 1);
    ASSERT_EQ(trace.steps.back().violates.size(), 1U);
    EXPECT_EQ(trace.steps.back().violates.front()->number, 1);
}

TEST(ThreadsReport, ABarEndsWhereItsHolderRegardsItsTimeAsOver) {
    ProgramResult result = violated_program(1);
    result.steps.push_back(thread_step("main", "", "", threads::words::kHoldsNoLonger));
    result.steps.push_back(thread_step("main", "", "", threads::words::kGivesBack));
    const RunReport report = threads_report(result, "./limiter");
    const auto& steps = report.findings.front().trace.steps;
    ASSERT_EQ(steps[7].changes.size(), 1U);
    EXPECT_EQ(steps[7].changes[0].value, 0);
    EXPECT_TRUE(steps[8].changes.empty());
}

TEST(ThreadsReport, EachVerdictHasItsExitCode) {
    const auto code_of = [](const char* verdict) {
        ProgramResult result;
        result.verdict = verdict;
        result.detail = "why";
        return results_of_threads(result).exit_code;
    };
    EXPECT_EQ(code_of("passed"), kExitPassed);
    EXPECT_EQ(code_of("inconclusive"), kExitInconclusive);
    EXPECT_EQ(code_of("not deterministic"), kExitDiverged);
    EXPECT_EQ(code_of("refused"), kExitInput);
    ProgramResult nothing;
    nothing.error = "the program has ended by signal 9";
    EXPECT_EQ(results_of_threads(nothing).exit_code, kExitInternal);
}

TEST(ProgramResult, NonsenseIsAnError) {
    for (const char* text :
         {"", "{}", "[1]", "{\"threads_result\": 1}", "{\"threads_result\": 2}"}) {
        EXPECT_FALSE(threads::parse_result(text).error.empty()) << text;
    }
}

}  // namespace
}  // namespace lockkeeper

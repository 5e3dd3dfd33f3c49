// SPDX-License-Identifier: Apache-2.0

// The table of formats, and its page.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/sample_reports_test.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;

TEST(Formats, AreFoundByNameAndByTheEndingOfAFile) {
    for (const ReportFormat& format : report_formats()) {
        EXPECT_EQ(&format, find_format(format.name));
        EXPECT_EQ(&format, format_of_file("a" + std::string(format.ending)));
        if (!format.other_ending.empty()) {
            EXPECT_EQ(&format, format_of_file("a" + std::string(format.other_ending)));
        }
    }
    EXPECT_EQ(nullptr, format_of_file(".txt"));
    EXPECT_EQ(find_format("json"), format_of_file("junit.json"));
    EXPECT_EQ(find_format("sarif"), format_of_file("a.sarif.json"));
    EXPECT_EQ(find_format("text"), format_of_file("a.junit.txt"));
    EXPECT_EQ(nullptr, find_format("telepathy"));
    EXPECT_EQ(nullptr, format_of_file("a.telepathy"));
}

TEST(Formats, AFileHasWhatStdoutHas) {
    Results results;
    results.command = "explore";
    results.files = {explored(), explored()};
    const std::string text = written(*find_format("text"), results);
    EXPECT_TRUE(
        contains(text, head_text(explored()) + body_text(explored()) + foot_text(explored())));
    EXPECT_TRUE(contains(text, "\n2 files\n  x.json: passed\n"));
    for (const ReportFormat& format : report_formats()) {
        EXPECT_EQ(0U, written(format, results).find(format.mark)) << format.name;
    }
}

std::string format_rows() {
    std::string rows;
    for (const ReportFormat& format : report_formats()) {
        rows += fmt::format(
            "| {} | `{}`{} | {} |\n",
            format.is_whole ? fmt::format("`{}`", format.name) : std::string("(only files)"),
            format.ending,
            format.other_ending.empty() ? "" : fmt::format(", `{}`", format.other_ending),
            format.shown_by);
    }
    return rows;
}

// With LOCKKEEPER_WRITE_DOCS=1 in the environment the rows are written there.
TEST(Formats, AreWhatThePageShows) {
    const std::string head =
        "| `--format` | `--report`: the file ends in | who shows it |\n|---|---|---|\n";
    const std::string path = LOCKKEEPER_SOURCE_DIR "/docs/reference/output.md";
    std::ifstream file(path);
    std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = page.find(head);
    ASSERT_NE(std::string::npos, at);
    const std::size_t begin = at + head.size();
    const std::size_t size = page.find("\n\n", begin) + 1 - begin;
    if (std::getenv("LOCKKEEPER_WRITE_DOCS") != nullptr) {
        std::ofstream(path) << page.replace(begin, size, format_rows());
    } else {
        EXPECT_EQ(format_rows(), page.substr(begin, size)) << "LOCKKEEPER_WRITE_DOCS=1 writes them";
    }
}

}  // namespace
}  // namespace lockkeeper

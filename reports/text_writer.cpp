// SPDX-License-Identifier: Apache-2.0

// Results for people, as they come. What each kind of answer says is in a file of its own.
#include <ostream>

#include <fmt/format.h>

#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

// "2 files", "2 files, 5 cases".
std::string files_text(const Results& results) {
    return counted(results.files_count, "file") +
           (results.files_count == results.cases_count
                ? ""
                : ", " + counted(results.cases_count, "case"));
}

std::string verdicts_of(const std::vector<RunReport>& reports) {
    std::string text = "\n" + counted(reports.size(), "file") + "\n";
    for (const RunReport& report : reports) {
        text += "  " + printable(report.file) + ": " + verdict_text(report) + "\n";
    }
    return text;
}

std::string first_lines_of(const Results& results) {
    switch (results.kind) {
        case ResultsKind::kTests:
            return fmt::format("{}  seed {}  strategy as each file says  scope: {}\n", build_text(),
                               results.seed ? std::to_string(*results.seed) : "as each file says",
                               files_text(results));
        case ResultsKind::kServerComparisons:
            return fmt::format("{}\nprivate {}: {}\n", build_text(), results.beside_kind,
                               printable(results.beside_version));
        case ResultsKind::kReferenceComparisons:
            return build_text() + ", validate against " + results.beside + "\n";
        case ResultsKind::kRuns:
        case ResultsKind::kMeasurements:
        case ResultsKind::kHistories:
        case ResultsKind::kSweeps: break;
    }
    return "";
}

class TextWriter final : public Writer {
  public:
    using Writer::Writer;

    void begin(const Results& results) override { print(first_lines_of(results)); }
    void next_file(const Results& results) override {
        const bool are_apart =
            results.kind == ResultsKind::kRuns || results.kind == ResultsKind::kMeasurements;
        if (are_apart && !results.files.empty()) {
            out() << "\n";
        }
    }
    void head(const RunReport& report) override { print(answer_head(report, is_verbose())); }
    void result(const RunReport& report) override { print(answer_text(report, is_verbose())); }
    void end(const Results& results) override {
        std::string text;
        if (results.kind == ResultsKind::kTests) {
            text = counts_text(count_outcomes(results.files)) + "\n";
        } else if (results.kind == ResultsKind::kRuns && results.files.size() > 1) {
            text = verdicts_of(results.files);
        } else if (!results.beside_kind.empty()) {
            text = server_summary_text(results);
        }
        for (const std::string& file : results.files_written) {
            text += "written: " + printable(file) + "\n";
        }
        print(text);
    }

  private:
    void print(const std::string& text) { out() << text << std::flush; }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_text_writer(std::ostream& out, bool verbose) {
    return std::make_unique<TextWriter>(out, verbose);
}

}  // namespace lockkeeper

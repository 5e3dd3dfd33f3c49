// Results for people, as they come. What each kind of answer says is in a file of its own.
#include <ostream>

#include <fmt/format.h>

#include "reports/against_text.hpp"
#include "reports/black_box_text.hpp"
#include "reports/history_report.hpp"
#include "reports/measure_text.hpp"
#include "reports/measure_words.hpp"
#include "reports/run_text.hpp"
#include "reports/server_comparison.hpp"
#include "reports/stepped_text.hpp"
#include "reports/sweep_report.hpp"
#include "reports/words.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

std::string outcome_text(const RunReport& report) {
    std::string text = verdict_text(report);
    if (report.explored) {
        text += ", " + counted(report.explored->states, "state");
    } else if (report.fuzzed) {
        text += ", " + counted(report.fuzzed->schedules, "schedule");
    } else if (report.replayed) {
        text += ", " + counted(report.replayed->steps.size(), "step");
    }
    for (const RateCheck& check : report.rates) {
        text += fmt::format(", {} {:.3g} per run ({})", check.property->name, check.rate.value,
                            name_of(check.method));
    }
    return text + ", " + seconds_text(report.seconds);
}

// One line for a scenario that is a test; where it fails, the files that were written with it.
std::string test_text(const RunReport& report) {
    const bool is_met = is<Passed>(*report.met);
    std::string text =
        fmt::format("{:<9}  {}  {}\n",
                    is_met                 ? "ok"
                    : is_undecided(report) ? "UNDECIDED"
                                           : "FAILED",
                    printable(report.file), is_met ? outcome_text(report) : detail_of(*report.met));
    for (const std::string& file : report.files_written) {
        text += is_met ? "" : "           written: " + printable(file) + "\n";
    }
    return text;
}

// "2 files", "2 files, 5 cases".
std::string files_text(const Results& results) {
    return counted(results.files_count, "file") +
           (results.files_count == results.cases_count
                ? ""
                : ", " + counted(results.cases_count, "case"));
}

std::string tests_summary(const Results& results) {
    const OutcomeCounts counts = count_outcomes(results.files);
    std::string line = fmt::format("{} passed, {} failed", counts.passed, counts.failed);
    line += counts.undecided > 0 ? fmt::format(", {} undecided", counts.undecided) : "";
    line += counts.not_run > 0 ? fmt::format(", {} not run", counts.not_run) : "";
    return line + "\n";
}

std::string verdicts_of(const std::vector<RunReport>& reports) {
    std::string text = "\n" + counted(reports.size(), "file") + "\n";
    for (const RunReport& report : reports) {
        text += "  " + printable(report.file) + ": " + verdict_text(report) + "\n";
    }
    return text;
}

// What each kind of answer says after its first lines.
struct Body {
    const RunReport& report;
    bool is_verbose;

    std::string operator()(const std::monostate& /*none*/) const {
        return report.met ? test_text(report) : body_text(report) + foot_text(report);
    }
    std::string operator()(const Measurement& measured) const {
        return measure_body(report, measured) + measure_foot(report, measured);
    }
    std::string operator()(const SweptTable& table) const { return sweep_text(report, table); }
    std::string operator()(const SteppedAnswer& answer) const {
        return stepped_text(report, answer);
    }
    std::string operator()(const BlackBoxAnswer& answer) const {
        return black_box_text(report, answer);
    }
    std::string operator()(const JudgedHistory& judged) const {
        return history_body_text(report, judged, is_verbose);
    }
    std::string operator()(const ServerComparison& compared) const {
        return server_comparison_text(report, compared);
    }
    std::string operator()(const ReferenceComparison& comparison) const {
        return against_text(report, comparison);
    }
};

std::string first_lines(const Results& results) {
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

    void begin(const Results& results) override { print(first_lines(results)); }
    void next_file(const Results& results) override {
        const bool are_apart =
            results.kind == ResultsKind::kRuns || results.kind == ResultsKind::kMeasurements;
        if (are_apart && !results.files.empty()) {
            out() << "\n";
        }
    }
    void head(const RunReport& report) override {
        if (const auto* measured = std::get_if<Measurement>(&report.details)) {
            print(measure_head(report, *measured));
        } else if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
            print(history_head_text(*judged));
        } else if (const auto* table = std::get_if<SweptTable>(&report.details)) {
            print(sweep_head(*table));
        } else {
            print(head_text(report) + (is_verbose() ? about_text(report) : ""));
        }
    }
    void result(const RunReport& report) override {
        print(std::visit(Body{report, is_verbose()}, report.details));
    }
    void end(const Results& results) override {
        std::string text;
        if (results.kind == ResultsKind::kTests) {
            text = tests_summary(results);
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
    static std::string about_text(const RunReport& report) {
        return report.about.empty() ? "" : report.about + "\n";
    }
    void print(const std::string& text) { out() << text << std::flush; }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_text_writer(std::ostream& out, bool verbose) {
    return std::make_unique<TextWriter>(out, verbose);
}

}  // namespace lockkeeper

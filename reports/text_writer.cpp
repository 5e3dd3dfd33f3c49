// Results for people, as they come. The parts of a report are in run_text and measure_text.
#include <ostream>

#include <fmt/format.h>

#include "reports/measure_text.hpp"
#include "reports/measure_words.hpp"
#include "reports/run_text.hpp"
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

class TextWriter final : public Writer {
  public:
    using Writer::Writer;

    void begin(const Results& results) override {
        if (results.kind == ResultsKind::kTests) {
            print(fmt::format("{}  seed {}  strategy as each file says  scope: {}\n", build_text(),
                              results.seed ? std::to_string(*results.seed) : "as each file says",
                              files_text(results)));
        }
    }
    void next_file(const Results& results) override {
        if (!results.files.empty() && results.kind != ResultsKind::kTests) {
            out() << "\n";
        }
    }
    void head(const RunReport& report) override {
        print(report.measured ? measure_head(*report.measured)
                              : head_text(report) + (is_verbose() ? about_text(report) : ""));
    }
    void result(const RunReport& report) override {
        if (report.measured) {
            print(measure_body(*report.measured) + measure_foot(*report.measured));
        } else {
            print(report.met ? test_text(report) : body_text(report) + foot_text(report));
        }
    }
    void end(const Results& results) override {
        std::string text;
        if (results.kind == ResultsKind::kTests) {
            text = tests_summary(results);
        } else if (results.kind == ResultsKind::kRuns && results.files.size() > 1) {
            text = verdicts_of(results.files);
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

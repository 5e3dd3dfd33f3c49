// SPDX-License-Identifier: Apache-2.0
#include "reports/outcome_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/run_text.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {

std::string_view name_of(FileOutcome outcome) {
    switch (outcome) {
        case FileOutcome::kPassed: return "passed";
        case FileOutcome::kFailed: return "failed";
        case FileOutcome::kUndecided: return "undecided";
        case FileOutcome::kNotRun: return "not run";
    }
    return "not run";
}

std::string counts_text(const OutcomeCounts& counts) {
    std::string line = fmt::format("{} passed, {} failed", counts.passed, counts.failed);
    line += counts.undecided > 0 ? fmt::format(", {} undecided", counts.undecided) : "";
    return line + (counts.not_run > 0 ? fmt::format(", {} not run", counts.not_run) : "");
}

std::string outcome_message(const RunReport& report) {
    if (!has_answer(report.verdict)) {
        return detail_of(report.verdict);
    }
    const bool is_unmet = report.met && !is<Passed>(*report.met);
    std::string message = is_unmet ? detail_of(*report.met) : verdict_text(report);
    if (report.is_interrupted) {
        message = "interrupted; so far: " + message;
    }
    return message + (report.has_failed_output ? "; a file could not be written" : "");
}

std::string beyond_files(const Results& results) {
    const std::size_t left_out =
        std::max(results.cases_count, results.files.size()) - results.files.size();
    if (left_out > 0) {
        return fmt::format("interrupted: {} of {} not run", left_out,
                           counted(results.cases_count, "case"));
    }
    const bool is_told =
        results.exit_code == kExitPassed ||
        std::any_of(results.files.begin(), results.files.end(), [&](const RunReport& report) {
            return exit_code_of(report) == results.exit_code;
        });
    if (is_told) {
        return "";
    }
    const auto* meaning =
        std::find_if(kExitCodes.begin(), kExitCodes.end(),
                     [&](const ExitCodeMeaning& one) { return one.code == results.exit_code; });
    return fmt::format("exit code {}{}", results.exit_code,
                       meaning == kExitCodes.end() ? "" : fmt::format(": {}", meaning->meaning));
}

const std::string& path_of(const RunReport& report) {
    return report.place.path.empty() ? report.file : report.place.path;
}

}  // namespace lockkeeper

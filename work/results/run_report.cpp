// SPDX-License-Identifier: Apache-2.0
#include "work/results/run_report.hpp"

#include <algorithm>

namespace lockkeeper {

std::size_t step_count(const Finding& finding) {
    return std::max(finding.schedule.actions.size(), finding.trace.steps.size());
}

int exit_code_of(const RunReport& report) {
    return report.met && !report.is_interrupted
               ? exit_code_of(*report.met)
               : exit_code_of(static_cast<const Conclusion&>(report));
}

int exit_code_of(const Results& results) {
    int code = kExitPassed;
    for (const RunReport& report : results.files) {
        code = worse_exit_code(code, exit_code_of(report));
    }
    if (results.kind == ResultsKind::kServerComparisons && !has_compared(results)) {
        code = worse_exit_code(code, kExitInconclusive);
    }
    return interrupt_requested() ? static_cast<int>(kExitInterrupted) : code;
}

bool has_compared(const Results& results) {
    return std::any_of(results.files.begin(), results.files.end(), [](const RunReport& report) {
        const auto* compared = std::get_if<ServerComparison>(&report.details);
        return compared != nullptr && compared->comparison.steps > 0;
    });
}

bool is_undecided(const RunReport& report) {
    const int code = exit_code_of(report);
    const bool is_met = report.met && is<Passed>(*report.met);
    return !is_met && (code == kExitInconclusive || code == kExitInterrupted);
}

FileOutcome outcome_of(const RunReport& report) {
    if (!has_answer(report.verdict)) {
        return FileOutcome::kNotRun;
    }
    if (report.met ? is<Passed>(*report.met) : exit_code_of(report) == kExitPassed) {
        return FileOutcome::kPassed;
    }
    return is_undecided(report) ? FileOutcome::kUndecided : FileOutcome::kFailed;
}

OutcomeCounts count_outcomes(const std::vector<RunReport>& reports) {
    OutcomeCounts counts;
    for (const RunReport& report : reports) {
        switch (outcome_of(report)) {
            case FileOutcome::kPassed: ++counts.passed; break;
            case FileOutcome::kFailed: ++counts.failed; break;
            case FileOutcome::kUndecided: ++counts.undecided; break;
            case FileOutcome::kNotRun: ++counts.not_run; break;
        }
    }
    return counts;
}

Verdict overall_verdict(const std::vector<RunReport>& reports, int exit_code) {
    if (exit_code == kExitPassed) {
        return Passed{};
    }
    for (const RunReport& report : reports) {
        if (exit_code_of(report) == exit_code) {
            return report.met && exit_code == kExitViolated ? *report.met : report.verdict;
        }
    }
    return Inconclusive{};  // interrupted between two files
}

std::uint64_t violating_step(const Trace& trace, const Property* property) {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        const auto& violates = trace.steps[i].violates;
        if (std::find(violates.begin(), violates.end(), property) != violates.end()) {
            return i + 1;
        }
    }
    return 0;
}

}  // namespace lockkeeper

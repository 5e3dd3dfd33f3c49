#include "reports/run_report.hpp"

#include <algorithm>

namespace lockkeeper {

int exit_code_of(const RunReport& report) {
    return report.met && !report.is_interrupted
               ? exit_code_of(*report.met)
               : exit_code_of(static_cast<const Conclusion&>(report));
}

OutcomeCounts count_outcomes(const std::vector<RunReport>& reports) {
    OutcomeCounts counts;
    for (const RunReport& report : reports) {
        const int code = exit_code_of(report);
        if (!has_answer(report.verdict)) {
            ++counts.not_run;
        } else if (report.met ? is<Passed>(*report.met) : code == kExitPassed) {
            ++counts.passed;
        } else if (code == kExitInconclusive || code == kExitInterrupted) {
            ++counts.undecided;
        } else {
            ++counts.failed;
        }
    }
    return counts;
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

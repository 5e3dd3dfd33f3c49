#include "reports/run_report.hpp"

#include <algorithm>

namespace lockkeeper {

OutcomeCounts count_outcomes(const std::vector<RunReport>& reports) {
    constexpr int kInconclusive = 2;
    constexpr int kInterrupted = 130;
    OutcomeCounts counts;
    for (const RunReport& report : reports) {
        const bool is_open = report.exit_code == kInconclusive || report.exit_code == kInterrupted;
        if (report.verdict == RunVerdict::kError) {
            ++counts.not_run;
        } else if (report.met.value_or(report.exit_code == 0)) {
            ++counts.passed;
        } else if (is_open) {
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

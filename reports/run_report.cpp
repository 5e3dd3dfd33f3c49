#include "reports/run_report.hpp"

#include <algorithm>

namespace lockkeeper {

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

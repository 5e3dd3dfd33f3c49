// SPDX-License-Identifier: Apache-2.0

// One run as the page has it (reports/web/src/data.ts: Run). Used by page_data and by
// serve/.
#pragma once

#include <cstddef>
#include <string>

#include "model/json.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// A run, with what the page says about it beside its steps.
struct PageRun {
    const Trace& trace;
    std::string title = {};
    std::string file = {};
    std::string replay = {};             // a command
    std::string schedule = {};           // "lk1:..."
    const Property* property = nullptr;  // that it breaks
    std::size_t cycle_start = kNoStep;
    const std::vector<SourceLine>* sources = nullptr;  // see Finding
    std::size_t steps_max = 0;  // of more the beginning is shown, and the page says so
};

[[nodiscard]] nlohmann::ordered_json page_run(const PageRun& run);
// One that is judged (reports/web/src/data.ts: PropertyRow).
[[nodiscard]] nlohmann::ordered_json property_row(const Property& property);

}  // namespace lockkeeper

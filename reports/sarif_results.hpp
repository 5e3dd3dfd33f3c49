// SPDX-License-Identifier: Apache-2.0

// One report in SARIF: its results, each with the rule that it breaks. Used by sarif_writer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/json.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

struct SarifResult {
    std::string rule;  // its id
    nlohmann::ordered_json rule_descriptor;
    std::string identity;         // the same in each run that finds the same
    nlohmann::ordered_json json;  // without rule index, fingerprints and code flows
    std::vector<const Finding*> flows;
};

// None of what passed. Does not own the report.
[[nodiscard]] std::vector<SarifResult> sarif_results(const RunReport& report);
// The run as a code flow: each step at its line of the model where the scenario's repository has
// the model's source, else at the scenario; with the state after it.
[[nodiscard]] nlohmann::ordered_json sarif_code_flow(const RunReport& report,
                                                     const Finding& finding);
// For a message: text that no reader takes for a link.
[[nodiscard]] nlohmann::ordered_json sarif_message(const std::string& text);
[[nodiscard]] nlohmann::ordered_json sarif_location(const RunReport& report);

}  // namespace lockkeeper

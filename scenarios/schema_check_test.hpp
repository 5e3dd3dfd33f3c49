// SPDX-License-Identifier: Apache-2.0

// Does a document keep to a published schema? For the tests of what is read and written as JSON.
// Validators are templates of many lines: one file compiles them for all tests.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace lockkeeper::testing_scenarios {

// Empty: it does. Else what is wrong. `schema`: a file of the repository, by its path in it.
[[nodiscard]] std::string schema_complaint(const nlohmann::json& document,
                                           const std::string& schema);
// The same of a text, with a schema of reports/schema/.
[[nodiscard]] std::string report_complaint(const std::string& document, const std::string& schema);
// The same, with the schema of scenario files.
[[nodiscard]] std::string scenario_complaint(const nlohmann::json& document);

}  // namespace lockkeeper::testing_scenarios

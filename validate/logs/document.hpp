// SPDX-License-Identifier: Apache-2.0

// An answer as JSON, for programs: reports/schema/explain.schema.json. Written by the command.
// Times are nanoseconds, beside what a log would have written.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "validate/logs/explain.hpp"

namespace lockkeeper::logs {

// "explained", "violated", "inconclusive"
[[nodiscard]] const char* verdict_word(Answer answer);

// `sources`: those of this lock, as explain had them. `text`: the answer in words. Reports draw the
// run from this document alone.
[[nodiscard]] nlohmann::ordered_json lock_document(const LockAnswer& answer,
                                                   const std::vector<Source>& sources,
                                                   const TimeForm& form, const std::string& text);

// Lines that say nothing about a lock, and remarks about callers.
[[nodiscard]] nlohmann::ordered_json lines_document(const Logs& logs);

}  // namespace lockkeeper::logs

// SPDX-License-Identifier: Apache-2.0

// An answer as text. Written by the command.
#pragma once

#include <string>

#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {

// `sources`: those of this lock, as explain had them.
[[nodiscard]] std::string answer_text(const LockAnswer& answer, const std::vector<Source>& sources,
                                      const SequentialModel& model, const TimeForm& form);

// "14 of 16 lines say something about the lock", with those that do not.
[[nodiscard]] std::string lines_text(const Logs& logs);

}  // namespace lockkeeper::logs

// SPDX-License-Identifier: Apache-2.0

// A recorded history from its file to its verdict, as the report of `validate --history`. Errors:
// BadInput for the file, UsageError for the name of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "validate/histories/check_history.hpp"
#include "validate/histories/order_records.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The model that --model names.
[[nodiscard]] ModelChoice model_named(const std::string& name);

// Parse --clock-tolerance and --time-unit. False: it is neither a time nor a number; no unit.
[[nodiscard]] bool set_clock_tolerance(const std::string& text, OrderChoice& order);
inline constexpr const char* kHistoryTimeUnits[] = {"ns", "us", "ms", "s"};
[[nodiscard]] bool set_time_unit(const std::string& text, OrderChoice& order);

// Nothing: as it is by default. Ends when the command is interrupted.
[[nodiscard]] CheckLimits history_limits(std::optional<double> seconds_max,
                                         std::optional<std::uint64_t> bytes_max);

// Read and put in order; the rest is empty.
[[nodiscard]] JudgedHistory read_for_judgement(const std::string& file, const OrderChoice& order);
// Fills the rest, and the verdict of the report that has it.
void judge_history(const ModelChoice& model, const CheckLimits& limits, JudgedHistory& judged,
                   RunReport& report);

}  // namespace lockkeeper

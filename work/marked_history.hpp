// SPDX-License-Identifier: Apache-2.0

// A history as this program writes it, for `replay --history` and `validate --out`.
#pragma once

#include <string>
#include <string_view>

#include "model/world_config.hpp"
#include "scheduler/runs/trace.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// How a history begins, and a file that may be replaced by another.
inline constexpr std::string_view kHistoryMark = "{\"recorder\":\"lockkeeper\",";
// The history's text, with the mark in the first record. Readers do not look at the mark.
[[nodiscard]] std::string marked_history(const RecordedHistory& history);
// The same for a run in this world.
[[nodiscard]] std::string marked_history(const WorldConfig& world, const Trace& trace);

}  // namespace lockkeeper

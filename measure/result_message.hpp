// SPDX-License-Identifier: Apache-2.0

// The result of a point of a sweep, as bytes: from the rank that has worked on it to the first.
#pragma once

#include "measure/sweep_run.hpp"
#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

void write_result(const MeasureResult& result, MessageWriter& out);
[[nodiscard]] MeasureResult read_result(MessageReader& in);

void write_point(const SweptPoint& point, MessageWriter& out);
[[nodiscard]] SweptPoint read_point(MessageReader& in);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The points of a sweep, made until a deadline. Used by work/sweep_job; points_of in
// measure/sweep.hpp makes all of them.
#pragma once

#include <variant>
#include <vector>

#include "measure/sweep.hpp"
#include "scheduler/base/deadline.hpp"

namespace lockkeeper {

// In the order of the file, the last axis fastest. None, where `deadline` or an interrupt comes
// before all are made. An error: a change that fits nothing.
[[nodiscard]] std::variant<std::vector<SweepPoint>, InputError> points_until(
    const Deadline& deadline, const Sweep& sweep);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// How many runs, and how long ones, each way of `validate` makes where nobody says a number: for
// help and pages.
#pragma once

#include <cstdint>
#include <string>

namespace lockkeeper {

[[nodiscard]] std::string schedules_of_validate();
// `erlang`: of --server erlang.
[[nodiscard]] std::string steps_of_validate(std::uint64_t erlang);

}  // namespace lockkeeper

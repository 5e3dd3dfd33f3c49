// SPDX-License-Identifier: Apache-2.0
#include "work/default_limits.hpp"

#include <fmt/format.h>

#include "validate/compare/compare.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/stepped_run.hpp"
#include "validate/servers/conformance.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {

std::string schedules_of_validate() {
    return fmt::format(
        "{} of a stepped program, {} of a black box, {} with --against, {} with --server",
        with_commas(OutsideOptions().schedules_max), BlackBoxOptions().schedules_max,
        with_commas(against::CompareLimits().schedules_max),
        databases::ComparisonLimits().random_schedules);
}

std::string steps_of_validate(std::uint64_t erlang) {
    return fmt::format(
        "{} of a stepped program, {} operations of a black box, {} with --against, {} with "
        "--server, {} with --server erlang",
        with_commas(OutsideOptions().steps_max), with_commas(BlackBoxOptions().operations_max),
        with_commas(against::CompareLimits().steps_max), databases::ComparisonLimits().steps_max,
        erlang);
}

}  // namespace lockkeeper

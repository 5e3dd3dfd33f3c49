// SPDX-License-Identifier: Apache-2.0

// Each rank's command line and environment: the same, but one rank alone writes files, and several
// share one machine. Where the other ranks only do what the first one asks (fuzz, measure, sweep),
// only the first runs the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

enum class RankVerb : std::uint8_t {
    kSame,      // all run the same command line: `explore`, and flags without a verb
    kFollowed,  // the first runs it, the others do what it asks: `fuzz`, `measure`, `sweep`
    kRefused,
};
[[nodiscard]] RankVerb verb_of_ranks(const std::vector<std::string>& given);

// `memory`: what one rank may take where --memory does not say.
[[nodiscard]] std::vector<std::string> arguments_of_rank(const std::vector<std::string>& given,
                                                         bool is_first, std::uint64_t memory);
// `value`: of the variable, or nullptr. Workers are ranks already: one each unless somebody says
// so.
[[nodiscard]] const char* environment_of_rank(std::string_view name, bool is_first,
                                              const char* value);
// The last one given.
[[nodiscard]] std::optional<std::string> value_of(const std::vector<std::string>& given,
                                                  std::string_view flag);

}  // namespace lockkeeper

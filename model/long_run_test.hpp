// SPDX-License-Identifier: Apache-2.0

// Long runs of random cases can be had in pieces: LOCKKEEPER_FIRST and LOCKKEEPER_COUNT in the
// environment say from which seed on, and how many.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace lockkeeper::testing_model {

struct Seeds {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// Returns what the environment says, each number for itself; else `all`.
[[nodiscard]] inline Seeds seeds_of_long_run(const Seeds& all) {
    const auto from = [](const char* name, std::uint32_t otherwise) {
        const char* const said = std::getenv(name);
        return said == nullptr ? otherwise : static_cast<std::uint32_t>(std::atoi(said));
    };
    return {from("LOCKKEEPER_FIRST", all.first), from("LOCKKEEPER_COUNT", all.count)};
}

}  // namespace lockkeeper::testing_model

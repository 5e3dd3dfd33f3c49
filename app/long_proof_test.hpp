// SPDX-License-Identifier: Apache-2.0

// Proofs whose answer is tested: a busy machine does not end them.
#pragma once

#include <string>
#include <vector>

#include "app/command_test.hpp"

namespace lockkeeper::testing_app {

[[nodiscard]] inline Ran prove(std::vector<std::string> words) {
    words.insert(words.begin(), "prove");
    words.insert(words.end(), {"--time-limit", "30m"});
    return run(words);
}

}  // namespace lockkeeper::testing_app

// SPDX-License-Identifier: Apache-2.0

// Other processes that help with work that can be cut into pieces: options have a Helpers.
#pragma once

#include <string>

namespace lockkeeper {

class Ranks;

struct Helpers {
    Ranks* ranks = nullptr;  // nullptr: nobody helps
    // Describes the work in words that the others can read: the text of a scenario.
    std::string scope = {};
};

}  // namespace lockkeeper

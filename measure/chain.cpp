// SPDX-License-Identifier: Apache-2.0
#include "measure/chain.hpp"

#include <algorithm>
#include <stdexcept>

namespace lockkeeper {

std::uint8_t Chain::place_of(const TransitionLabel& label) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    const auto place = static_cast<std::size_t>(found - labels.begin());
    if (found == labels.end()) {
        if (place > UINT8_MAX) {
            throw std::length_error("more than 256 combinations of violated properties");
        }
        labels.push_back(label);
    }
    return static_cast<std::uint8_t>(place);
}

}  // namespace lockkeeper

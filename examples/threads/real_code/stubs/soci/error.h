// SPDX-License-Identifier: Apache-2.0
// In the place of SOCI's own.
#pragma once

#include <stdexcept>

namespace soci {
struct soci_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
}  // namespace soci

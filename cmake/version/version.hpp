// SPDX-License-Identifier: Apache-2.0

// Which build this is: the first line of every report names it.
#pragma once

#include <string_view>

namespace lockkeeper {

// The project's version, for example "1.0.0".
[[nodiscard]] std::string_view version();

// The commit it was built from, 12 hexadecimal digits, followed by "+changes" when tracked files
// differed from it; "unknown" when it was built outside a git checkout.
[[nodiscard]] std::string_view commit();

}  // namespace lockkeeper

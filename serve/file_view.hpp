// SPDX-License-Identifier: Apache-2.0

// An open file in the form of the page (reports/web/src/serve_data.ts: OpenFile). Used by api.
#pragma once

#include <cstddef>

#include "serve/session.hpp"

namespace lockkeeper {

[[nodiscard]] ServeJson file_view(const OpenedFile& file, std::size_t number);
// With what can be changed: the text of its scenario, and its numbers by name.
[[nodiscard]] ServeJson scenario_view(const OpenedFile& file, const Registry& registry);

}  // namespace lockkeeper

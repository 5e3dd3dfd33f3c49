// SPDX-License-Identifier: Apache-2.0

// The words that reports/web/src/data.ts has for kinds and events. The page decides by them, so
// they are no words for people. Used by page_run.
#pragma once

#include <string_view>
#include <vector>

#include "model/action.hpp"
#include "model/event.hpp"
#include "model/property.hpp"
#include "model/shown.hpp"

namespace lockkeeper {

[[nodiscard]] std::string_view page_word(Action action);
[[nodiscard]] std::string_view page_word(Doer doer);
[[nodiscard]] std::string_view page_word(PropertyKind kind);
// `expires`: a grant ends with the step, and nobody gave it up.
[[nodiscard]] std::vector<std::string_view> event_words(const Event& event, bool expires);

}  // namespace lockkeeper

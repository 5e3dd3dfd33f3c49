// SPDX-License-Identifier: Apache-2.0

// The pages of `man lockkeeper` and `man lockkeeper-VERB`, from the tables of verbs and flags. In
// the macros of man(7), which every man reads. No errors.
#pragma once

#include <string>

#include "app/verbs.hpp"

namespace lockkeeper {

// `date`: "2026-11-25", of this version.
[[nodiscard]] std::string man_page(const std::string& date);
[[nodiscard]] std::string man_page_of(const VerbRow& verb, const std::string& date);

}  // namespace lockkeeper

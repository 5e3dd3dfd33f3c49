// SPDX-License-Identifier: Apache-2.0

// Numbers, sizes and names as reports print them: plain ASCII, the same in every locale.
// Used by all reports and by app/. No errors; every value prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/printable.hpp"
#include "model/property.hpp"

namespace lockkeeper {

// 1234567 -> "1,234,567". The text must consist of digits.
[[nodiscard]] std::string with_commas(const std::string& digits);
[[nodiscard]] std::string with_commas(std::uint64_t number);
// "1 caller", "2 callers": the noun takes an s.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);
// "0.021 s", "7.51 s", "75.1 s".
[[nodiscard]] std::string seconds_text(double seconds);
// "1.5 MiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
// "2.1 million/s", or "unknown" where no time has passed.
[[nodiscard]] std::string rate_text(std::uint64_t count, double seconds);
// "P2 leak".
[[nodiscard]] std::string title_of(const Property& property);
// "P1 over-allocation, P2 leak"; of goals "acquired, full"; or "none".
[[nodiscard]] std::string names_text(const std::vector<const Property*>& properties);

}  // namespace lockkeeper

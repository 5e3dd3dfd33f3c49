// SPDX-License-Identifier: Apache-2.0

// Quantities as they are written on the command line and in the environment. Each function gives
// the value, or nothing for text that is no such quantity; nothing is ever read in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockkeeper {

// "60s", "500ms", "2m", "1h", "1.5": seconds, above 0.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text);
// The same as a person writes it: "60s" is "1m".
[[nodiscard]] std::string duration_text(double seconds);
// "20G", "512M", "1.5GiB", "65536": bytes, powers of 1024, above 0.
[[nodiscard]] std::optional<std::uint64_t> parse_memory_size(std::string_view text);
// "1000000", "1_000_000", "1e6": a whole number.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);
// "1", "true", "yes", "on" and their opposites.
[[nodiscard]] std::optional<bool> parse_truth(std::string_view text);
// "-3", "12": a whole number from -`most` to `most`.
[[nodiscard]] std::optional<std::int64_t> parse_whole(std::string_view text, std::int64_t most);
// "0.5", "1e-9": finite.
[[nodiscard]] std::optional<double> parse_real(std::string_view text);
// "1%", "0.01": above 0 and below 1.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);
// "grace=3": a name that is not empty, and what stands behind the first equals sign.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> parse_assignment(
    std::string_view text);
// "a,,b": "a", "", "b". Of an empty text: one empty part.
[[nodiscard]] std::vector<std::string> parts_of(std::string_view text, char separator);

// The message for a value of `name` that is a number, but larger than any that fits. `form`: "N",
// or "NAME=N" of a number of the system. Empty: it is something else.
[[nodiscard]] std::string too_large_text(std::string_view form, const std::string& name,
                                         const std::string& value);

}  // namespace lockkeeper

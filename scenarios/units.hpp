// Quantities as they are written on the command line and in the environment. Each function gives
// the value, or nothing for text that is no such quantity; nothing is ever read in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockkeeper {

// "60s", "500ms", "2m", "1h", "1.5": seconds, above 0.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text);
// "20G", "512M", "1.5GiB", "65536": bytes, powers of 1024, above 0.
[[nodiscard]] std::optional<std::uint64_t> parse_memory_size(std::string_view text);
// "1000000", "1_000_000", "1e6": a whole number.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text);
// "1", "true", "yes", "on" and their opposites.
[[nodiscard]] std::optional<bool> parse_truth(std::string_view text);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "scenarios/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {
namespace {

// Nothing where more than the number stands there.
template <class Number>
std::optional<Number> parse_all(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

struct NamedUnit {
    std::string_view name;
    double factor;
};

// A decimal fraction in front of one of the units.
std::optional<double> parse_with_unit(std::string_view text, const NamedUnit* begin,
                                      const NamedUnit* end) {
    const std::size_t digits = text.find_first_not_of("0123456789.");
    const std::string_view number = text.substr(0, digits);
    const std::string_view name = digits == std::string_view::npos ? "" : text.substr(digits);
    const NamedUnit* unit =
        std::find_if(begin, end, [&](const NamedUnit& u) { return u.name == name; });
    const auto value = parse_real(number);
    return unit != end && value ? std::optional(*value * unit->factor) : std::nullopt;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
    constexpr NamedUnit kUnits[] = {{"", 1}, {"s", 1}, {"ms", 0.001}, {"m", 60}, {"h", 3600}};
    const auto seconds = parse_with_unit(text, std::begin(kUnits), std::end(kUnits));
    return seconds && *seconds > 0 && *seconds < 1e12 ? seconds : std::nullopt;
}

std::string duration_text(double seconds) {
    const bool is_minutes = seconds >= 60;
    return fmt::format("{:g}{}", is_minutes ? seconds / 60 : seconds, is_minutes ? "m" : "s");
}

std::optional<std::uint64_t> parse_memory_size(std::string_view text) {
    constexpr double kKibi = 1024;
    constexpr NamedUnit kUnits[] = {
        {"", 1},
        {"K", kKibi},
        {"M", kKibi * kKibi},
        {"G", kKibi * kKibi * kKibi},
        {"T", kKibi * kKibi * kKibi * kKibi},
    };
    for (const std::string_view suffix : {"iB", "B"}) {
        if (text.size() > suffix.size() && text.substr(text.size() - suffix.size()) == suffix) {
            text.remove_suffix(suffix.size());
            break;
        }
    }
    const auto bytes = parse_with_unit(text, std::begin(kUnits), std::end(kUnits));
    if (!bytes || *bytes < 1 || *bytes >= 0x1p63) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(*bytes);
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool between = i > 0 && i + 1 < text.size() && text[i - 1] != '_';
        if (text[i] != '_') {
            digits += text[i];
        } else if (!between) {
            return std::nullopt;
        }
    }
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    if (rest == end) {
        return value;
    }
    unsigned zeros = 0;
    if (*rest != 'e' || rest + 1 == end) {
        return std::nullopt;
    }
    const auto [exponent_end, exponent_error] = std::from_chars(rest + 1, end, zeros);
    if (exponent_error != std::errc{} || exponent_end != end || zeros > 19) {
        return std::nullopt;
    }
    for (; zeros > 0; --zeros) {
        if (value > std::numeric_limits<std::uint64_t>::max() / 10) {
            return std::nullopt;
        }
        value *= 10;
    }
    return value;
}

std::optional<bool> parse_truth(std::string_view text) {
    for (const std::string_view yes : {"1", "true", "yes", "on"}) {
        if (text == yes) {
            return true;
        }
    }
    for (const std::string_view no : {"0", "false", "no", "off"}) {
        if (text == no) {
            return false;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> parse_whole(std::string_view text, std::int64_t most) {
    const auto value = parse_all<std::int64_t>(text);
    return value && *value >= -most && *value <= most ? value : std::nullopt;
}

std::optional<double> parse_real(std::string_view text) {
    const auto value = parse_all<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> parse_share(std::string_view text) {
    const bool is_percent = text.ends_with('%');
    text.remove_suffix(is_percent ? 1 : 0);
    const double share = parse_real(text).value_or(-1) / (is_percent ? 100 : 1);
    return share > 0 && share < 1 ? std::optional(share) : std::nullopt;
}

std::optional<std::pair<std::string, std::string>> parse_assignment(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return std::nullopt;
    }
    return std::pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string too_large_text(std::string_view form, const std::string& name,
                           const std::string& value) {
    const bool is_own = form == "NAME=N";
    const auto named = is_own ? parse_assignment(value) : std::nullopt;
    std::string digits = named ? named->second : is_own ? "" : value;
    if (is_own && digits.starts_with('-')) {
        digits.erase(0, 1);
    }
    constexpr std::size_t kDigitsMost = 20;  // of 64 bits
    const bool is_number =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || (!is_own && (form != "N" || digits.size() < kDigitsMost))) {
        return "";
    }
    return is_own ? fmt::format("{}: the number in \"{}\" is too large: from -{} to {}", name,
                                printable(value), kOwnNumberMax, kOwnNumberMax)
                  : fmt::format("{}: {} is too large: at most {}", name, value,
                                std::numeric_limits<std::uint64_t>::max());
}

}  // namespace lockkeeper

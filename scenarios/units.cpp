#include "scenarios/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace lockkeeper {
namespace {

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
    double value = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (unit == end || error != std::errc{} || rest != number.data() + number.size() ||
        !std::isfinite(value)) {
        return std::nullopt;
    }
    return value * unit->factor;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) {
    constexpr NamedUnit kUnits[] = {{"", 1}, {"s", 1}, {"ms", 0.001}, {"m", 60}, {"h", 3600}};
    const auto seconds = parse_with_unit(text, std::begin(kUnits), std::end(kUnits));
    return seconds && *seconds > 0 && *seconds < 1e12 ? seconds : std::nullopt;
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

}  // namespace lockkeeper

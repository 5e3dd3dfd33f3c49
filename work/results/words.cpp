// SPDX-License-Identifier: Apache-2.0
#include "work/results/words.hpp"

#include <fmt/format.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {

std::string with_commas(const std::string& digits) {
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
}

std::string with_commas(std::uint64_t number) { return with_commas(std::to_string(number)); }

std::string counted(std::uint64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", with_commas(number), noun, number == 1 ? "" : "s");
}

std::string seconds_text(double seconds) {
    const int decimals = seconds < 1 ? 3 : seconds < 10 ? 2 : 1;
    return fmt::format("{:.{}f} s", seconds, decimals);
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        return counted(bytes, "byte");
    }
    double size = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) {
        size /= 1024;
    }
    return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string rate_text(std::uint64_t count, double seconds) {
    if (seconds <= 0) {
        return "unknown";
    }
    const double rate = static_cast<double>(count) / seconds;
    return rate < 1e6 ? with_commas(static_cast<std::uint64_t>(rate)) + "/s"
                      : fmt::format("{:.2f} million/s", rate / 1e6);
}

std::string title_of(const Property& property) {
    return fmt::format("P{} {}", property.number, property.name);
}

std::string names_text(const std::vector<const Property*>& properties) {
    std::string text;
    for (const Property* property : properties) {
        const bool is_goal = find_goal(property->name) == property;
        text += (text.empty() ? "" : ", ") +
                (is_goal ? std::string(property->name) : title_of(*property));
    }
    return text.empty() ? "none" : text;
}

}  // namespace lockkeeper

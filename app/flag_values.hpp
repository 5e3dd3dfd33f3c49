// SPDX-License-Identifier: Apache-2.0

// The values of flags: how a value is written, read and kept. Used by the table of flags
// (flags.hpp) and by what is made from it. Each function makes a value of one kind; `path` leads to
// the member of Options that keeps it: &Options::measure, &MeasureFlags::below.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "app/options.hpp"
#include "scenarios/units.hpp"

namespace lockkeeper {

// In the order of the enumeration that they stand for, where there is one.
using Words = std::span<const char* const>;

// "auto, on or off"
[[nodiscard]] std::string either(Words words);

// The suggestions of completion for a value.
enum class Suggests : std::uint8_t {
    kItsWords,  // of which there may be none
    kFiles,
    kDirectories,
    kSystems,
    kProperties,
    kModels,
};

struct FlagValue {
    std::string form;      // "N", for help; empty: a switch, whose value is "on"
    std::string expected;  // for the message about a bad value
    // False: the value is none. UsageError: it is wrong in another way.
    std::function<bool(Options& options, const std::string& text)> set;
    Words words = {};  // that it takes, beside others where `expected` says so
    Suggests suggests = Suggests::kItsWords;
};

namespace takes {

// `parse` gives the value, or nothing.
template <class Parse, class... Path>
[[nodiscard]] FlagValue parsed(std::string form, std::string expected, Parse parse, Path... path) {
    return {std::move(form), std::move(expected),
            [parse, path...](Options& options, const std::string& text) {
                const auto value = parse(text);
                if (value) {
                    (options.*....*path) = *value;
                }
                return value.has_value();
            }};
}

inline constexpr const char* kCountWords = "a whole number (1000000, 1_000_000, 1e6)";
inline constexpr const char* kLimitWords = "a whole number above 0 (1000000, 1_000_000, 1e6)";

[[nodiscard]] inline std::optional<std::uint64_t> parse_limit(std::string_view text) {
    const auto number = parse_count(text);
    return number.value_or(0) > 0 ? number : std::nullopt;
}
[[nodiscard]] inline std::optional<std::string> parse_name(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

template <class... Path>
[[nodiscard]] FlagValue on_or_off(Path... path) {
    return parsed("", "on or off", parse_truth, path...);
}
// Reads a number that fits the member; `expected` says up to which number.
template <class Number>
[[nodiscard]] std::optional<Number> parse_fitting(std::string_view text) {
    const auto number = parse_count(text);
    return number && std::in_range<Number>(*number) ? std::optional(static_cast<Number>(*number))
                                                    : std::nullopt;
}
template <class Number = std::uint64_t, class... Path>
[[nodiscard]] FlagValue count(Path... path) {
    return parsed("N", kCountWords, parse_fitting<Number>, path...);
}
template <class... Path>
[[nodiscard]] FlagValue limit_of(std::string form, Path... path) {
    return parsed(std::move(form), kLimitWords, parse_limit, path...);
}
template <class... Path>
[[nodiscard]] FlagValue limit(Path... path) {
    return limit_of("N", path...);
}
template <class... Path>
[[nodiscard]] FlagValue duration(Path... path) {
    return parsed("TIME", "a time above 0 (60s, 500ms, 2m, 1h, or seconds)", parse_duration,
                  path...);
}
template <class... Path>
[[nodiscard]] FlagValue duration_of_a_day(Path... path) {
    const auto parse = [](const std::string& text) {
        constexpr double kMost = 86'400;
        const auto seconds = parse_duration(text);
        return seconds.value_or(kMost) > kMost ? std::nullopt : seconds;
    };
    return parsed("TIME", "a time of at most a day (10s, 500ms)", parse, path...);
}
template <class... Path>
[[nodiscard]] FlagValue share(std::string form, Path... path) {
    return parsed(std::move(form), "a share above 0 and below 1 (0.01 or 1%)", parse_share,
                  path...);
}
// Any text but an empty one; whoever uses it knows whether it is one.
template <class... Path>
[[nodiscard]] FlagValue text(std::string form, std::string expected, Suggests suggests,
                             Path... path) {
    FlagValue value = parsed(std::move(form), std::move(expected), parse_name, path...);
    value.suggests = suggests;
    return value;
}
// One more text, each time that the flag is given.
template <class... Path>
[[nodiscard]] FlagValue each_text(std::string form, std::string expected, Path... path) {
    const auto set = [path...](Options& options, const std::string& text) {
        (options.*....*path).push_back(text);
        return !text.empty();
    };
    return {std::move(form), std::move(expected), set, {}, Suggests::kFiles};
}
template <class... Path>
[[nodiscard]] FlagValue file(Path... path) {
    return text("FILE", "a file name", Suggests::kFiles, path...);
}
template <class... Path>
[[nodiscard]] FlagValue directory(Path... path) {
    return text("DIR", "a directory", Suggests::kDirectories, path...);
}

// One of the words: kept as the enumerator in its place, or as it is.
template <class... Path>
[[nodiscard]] FlagValue one_of(Words words, std::string form, Path... path) {
    FlagValue value;
    value.form = std::move(form);
    value.expected = either(words);
    value.words = words;
    value.set = [words, path...](Options& options, const std::string& text) {
        auto& target = (options.*....*path);
        using Target = std::remove_reference_t<decltype(target)>;
        const auto found = std::find(words.begin(), words.end(), text);
        if (found == words.end()) {
            return false;
        }
        if constexpr (std::is_assignable_v<Target&, std::string>) {
            target = text;
        } else if constexpr (std::is_enum_v<Target>) {
            target = static_cast<Target>(found - words.begin());
        } else {
            target = static_cast<typename Target::value_type>(found - words.begin());
        }
        return true;
    };
    return value;
}

// Values with rules of their own.
[[nodiscard]] FlagValue workers();
[[nodiscard]] FlagValue report_format();
[[nodiscard]] FlagValue report_file();
[[nodiscard]] FlagValue strategy_name();
[[nodiscard]] FlagValue property_names();
[[nodiscard]] FlagValue number_of_system();
[[nodiscard]] FlagValue range_to_search(bool smallest);
[[nodiscard]] FlagValue law();
[[nodiscard]] FlagValue confidence();
[[nodiscard]] FlagValue swept_parameter();
[[nodiscard]] FlagValue compared_variants();
[[nodiscard]] FlagValue axis_and_choice();
[[nodiscard]] FlagValue clock_tolerance();
[[nodiscard]] FlagValue time_unit();

}  // namespace takes
}  // namespace lockkeeper

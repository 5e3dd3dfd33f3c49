// SPDX-License-Identifier: Apache-2.0
#include "app/flags.hpp"

#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/nearest_name.hpp"

namespace lockkeeper {
namespace {

// Of a value that is a number, but larger than any that fits; empty: it is something else.
std::string too_large_text(const Flag& flag, const std::string& name, const std::string& value) {
    const bool is_own = flag.value.form == "NAME=N";
    const auto named = is_own ? parse_assignment(value) : std::nullopt;
    std::string digits = named ? named->second : is_own ? "" : value;
    if (is_own && digits.starts_with('-')) {
        digits.erase(0, 1);
    }
    constexpr std::size_t kDigitsMost = 20;  // of 64 bits
    const bool is_number =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || (!is_own && (flag.value.form != "N" || digits.size() < kDigitsMost))) {
        return "";
    }
    return is_own ? fmt::format("{}: the number in \"{}\" is too large: from -{} to {}", name,
                                printable(value), kOwnNumberMax, kOwnNumberMax)
                  : fmt::format("{}: {} is too large: at most {}", name, value,
                                std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

const std::vector<Flag>& flags() {
    static const std::vector<Flag> kFlags = [] {
        std::vector<Flag> all;
        for (const auto rows :
             {flags_of_histories, flags_of_programs, flags_of_wire, flags_of_measuring,
              flags_of_sweeps, flags_of_questions, flags_of_runs, flags_of_exploring,
              flags_of_limits, flags_of_outputs}) {
            const std::vector<Flag> some = rows();
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }();
    return kFlags;
}

const Flag* find_flag(std::string_view name, Command command) {
    const auto found = std::find_if(flags().begin(), flags().end(), [&](const Flag& flag) {
        return flag.name == name && has(flag.commands, command);
    });
    return found == flags().end() ? nullptr : &*found;
}

std::string variable_of(const Flag& flag) {
    if (flag.given != Given::kOrByVariable) {
        return "";
    }
    std::string name = "LOCKKEEPER" + flag.name.substr(1);  // one hyphen stays
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char character) {
        return character == '-' ? '_' : static_cast<char>(std::toupper(character));
    });
    return name;
}

std::string default_of(const Flag& flag, Command command) {
    for (const FlagDefault& one : flag.defaults) {
        if (has(one.commands, command)) {
            return one.text;
        }
    }
    return "";
}

std::string help_of(const Flag& flag, Command command) {
    const std::string variable = variable_of(flag);
    const std::string otherwise = default_of(flag, command);
    return flag.help + (variable.empty() ? "" : fmt::format(" [{}]", variable)) +
           (otherwise.empty() ? "" : fmt::format(" (default: {})", otherwise));
}

void set_flag(const Flag& flag, const std::string& name, const std::string& value,
              Options& options) {
    options.given.emplace_back(flag.name, value);
    if (flag.value.set(options, value)) {
        return;
    }
    const std::string too_large = too_large_text(flag, name, value);
    const Words words = flag.value.words;
    throw UsageError(!too_large.empty()
                         ? too_large
                         : fmt::format("{}: expected {}, found \"{}\"{}", name, flag.value.expected,
                                       printable(value),
                                       did_you_mean(value, {words.begin(), words.end()})));
}

bool is_given(const Options& options, std::string_view flag) {
    return std::any_of(options.given.begin(), options.given.end(),
                       [&](const auto& given) { return given.first == flag; });
}

std::string given_again(const Options& options, std::initializer_list<std::string_view> names) {
    std::string text;
    for (const auto& [name, value] : options.given) {
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            const Flag* flag = find_flag(name, options.command);
            const bool is_switch = flag != nullptr && flag->value.form.empty();
            text += " " + name + (is_switch ? "" : " " + shell_quoted(value));
        }
    }
    return text;
}

}  // namespace lockkeeper

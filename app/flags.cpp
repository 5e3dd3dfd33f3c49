// SPDX-License-Identifier: Apache-2.0
#include "app/flags.hpp"

#include <cctype>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/units.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
const std::vector<Flag>& flags() {
    static const std::vector<Flag> kFlags = [] {
        std::vector<Flag> all;
        for (const auto rows :
             {flags_of_histories, flags_of_programs, flags_of_threads, flags_of_explaining,
              flags_of_clinic, flags_of_wire, flags_of_measuring, flags_of_sweeps,
              flags_of_questions, flags_of_runs, flags_of_exploring, flags_of_limits,
              flags_of_outputs}) {
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
    options.given.push_back({flag.name, value, flag.value.form.empty()});
    if (flag.value.set(options, value)) {
        return;
    }
    const std::string too_large = too_large_text(flag.value.form, name, value);
    const Words words = flag.value.words;
    throw UsageError(!too_large.empty()
                         ? too_large
                         : fmt::format("{}: expected {}, found \"{}\"{}", name, flag.value.expected,
                                       printable(value),
                                       did_you_mean(value, {words.begin(), words.end()})));
}

}  // namespace lockkeeper

// The repairs that a scenario asks for, by name.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/did_you_mean.hpp"
#include "app/registry.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct NamedRepair {
    const char* name;
    std::uint16_t bit;
};

[[nodiscard]] inline std::vector<std::string> names_of(std::span<const NamedRepair> known) {
    std::vector<std::string> names;
    for (const NamedRepair& repair : known) {
        names.emplace_back(repair.name);
    }
    return names;
}

// The words of a variant that has these repairs.
[[nodiscard]] inline Vocabulary with_repairs(Vocabulary words, std::span<const NamedRepair> known) {
    words.repairs = names_of(known);
    return words;
}

// `by_default`: all of the variant; 0 for the faithful one, which has none. Bits: wide enough for
// the repairs of the system.
template <class Bits>
[[nodiscard]] std::variant<Bits, InputError> repairs_of(const Scenario& scenario,
                                                        std::span<const NamedRepair> known,
                                                        Bits by_default) {
    if (!scenario.parameters.repairs) {
        return by_default;
    }
    if (by_default == 0) {
        return InputError{scenario.file, "/parameters/repairs",
                          "the faithful variant has no repairs; use \"variant\": \"repaired\""};
    }
    const RepairChoice& choice = *scenario.parameters.repairs;
    const std::string pointer =
        choice.all_but ? "/parameters/repairs/all_but/" : "/parameters/repairs/";
    Bits named = 0;
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
        const std::string& name = choice.names[i];
        const auto repair = std::find_if(known.begin(), known.end(),
                                         [&](const NamedRepair& one) { return one.name == name; });
        if (repair == known.end()) {
            return InputError{
                scenario.file, pointer + std::to_string(i),
                "unknown repair \"" + name + "\"" + nearest_or_known(name, names_of(known))};
        }
        named = static_cast<Bits>(named | repair->bit);
    }
    return choice.all_but ? static_cast<Bits>(by_default & ~named) : named;
}

}  // namespace lockkeeper

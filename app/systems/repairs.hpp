// The repairs that a scenario asks for, by name.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/did_you_mean.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct NamedRepair {
    const char* name;
    std::uint16_t bit;
};

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
    Bits repairs = 0;
    std::vector<std::string> names;
    for (const NamedRepair& repair : known) {
        names.emplace_back(repair.name);
    }
    for (std::size_t i = 0; i < scenario.parameters.repairs->size(); ++i) {
        const std::string& name = (*scenario.parameters.repairs)[i];
        const auto repair = std::find_if(known.begin(), known.end(),
                                         [&](const NamedRepair& one) { return one.name == name; });
        if (repair == known.end()) {
            return InputError{scenario.file, "/parameters/repairs/" + std::to_string(i),
                              "unknown repair \"" + name + "\"" + did_you_mean(name, names)};
        }
        repairs = static_cast<Bits>(repairs | repair->bit);
    }
    return repairs;
}

}  // namespace lockkeeper

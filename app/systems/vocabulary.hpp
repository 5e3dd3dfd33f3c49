// A scenario in the words of its system: calls become the implementation's numbers, numbers that
// the scenario leaves out get their defaults, and what the system does not know is refused.
#pragma once

#include <variant>

#include "app/registry.hpp"

namespace lockkeeper {

[[nodiscard]] std::variant<Scenario, InputError> in_the_words_of(const Vocabulary& vocabulary,
                                                                 Scenario scenario);

}  // namespace lockkeeper

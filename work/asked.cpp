// SPDX-License-Identifier: Apache-2.0
#include "work/asked.hpp"

#include "model/printable.hpp"

namespace lockkeeper {

bool is_given(const Asked& asked, std::string_view flag) {
    return std::any_of(asked.given.begin(), asked.given.end(),
                       [&](const GivenFlag& given) { return given.name == flag; });
}

std::string given_again(const Asked& asked, std::initializer_list<std::string_view> flags) {
    std::string text;
    for (const GivenFlag& given : asked.given) {
        if (std::find(flags.begin(), flags.end(), given.name) != flags.end()) {
            text += " " + given.name + (given.is_switch ? "" : " " + shell_quoted(given.value));
        }
    }
    return text;
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Messages about unknown names: in scenarios, traces and on the command line.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "scenarios/nearest_name.hpp"

namespace lockkeeper {

// `; did you mean "leak"?`. Where no known name is near: all of them, if they are few. (A name of
// its own beside `did_you_mean`: which of two overloads an inline function takes would depend on
// what was included before it.)
[[nodiscard]] inline std::string nearest_or_known(const std::string& name,
                                                  const std::vector<std::string>& known) {
    constexpr std::size_t kFew = 24;
    const std::set<std::string_view> distinct(known.begin(), known.end());
    const bool is_worth_it = !distinct.empty() && distinct.size() <= kFew;
    return did_you_mean(name, {known.begin(), known.end()},
                        is_worth_it ? fmt::format("; known: {}", fmt::join(distinct, ", ")) : "");
}

// `unknown property "leek"; did you mean "leak"?`. "P2" is how reports number leak; scenarios and
// flags say its name. `more`: what else is allowed in the place.
[[nodiscard]] inline std::string unknown_property(const std::string& name,
                                                  std::initializer_list<const char*> more = {}) {
    std::vector<std::string> known(more.begin(), more.end());
    for (const Property& property : all_properties()) {
        if (name == "P" + std::to_string(property.number)) {
            return fmt::format("unknown property \"{0}\"; {0} is called \"{1}\"", name,
                               property.name);
        }
        known.emplace_back(property.name);
    }
    return "unknown property \"" + name + "\"" + nearest_or_known(name, known);
}

}  // namespace lockkeeper

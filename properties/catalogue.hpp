// SPDX-License-Identifier: Apache-2.0

// Every property and goal that Lockkeeper knows, with its number, its severity and its definition
// in one sentence. `lockkeeper list` prints it; docs/reference/properties.md explains it.
//
// "Holds" is belief: from the return of acquire to the call of release, or the holder's death.
// "At rest" is quiescence: no call, message or manager step is pending.
#pragma once

#include <span>
#include <string_view>

#include "model/property.hpp"

namespace lockkeeper {

[[nodiscard]] std::span<const Property> all_properties();
[[nodiscard]] std::span<const Property> all_goals();

inline constexpr int kNeverNumbers = 100;

// Null when there is none of that name. "never:GOAL" is the promise that no step reaches that goal:
// a property as well, numbered kNeverNumbers and that of the goal; it is no member of
// all_properties().
[[nodiscard]] const Property* find_property(std::string_view name);
[[nodiscard]] const Property* find_goal(std::string_view name);

[[nodiscard]] std::string_view name_of(Severity severity);
[[nodiscard]] std::string_view name_of(PropertyKind kind);

}  // namespace lockkeeper

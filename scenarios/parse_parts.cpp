// SPDX-License-Identifier: Apache-2.0
#include "scenarios/parse_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/nearest_name.hpp"

namespace lockkeeper {
namespace {

template <class Value>
Value value_at(const Place& place, std::variant<Value, ScheduleError> parsed) {
    if (const auto* error = std::get_if<ScheduleError>(&parsed)) {
        place.refuse(fmt::format("character {}: {}", error->offset + 1, error->message));
    }
    return std::get<Value>(std::move(parsed));
}

}  // namespace

Schedule schedule_at(const Place& place) { return value_at(place, parse_schedule(place.text())); }
Action action_at(const Place& place) { return value_at(place, parse_action(place.text())); }

std::map<std::string, std::int32_t> parse_numbers(const Place& place,
                                                  const std::vector<std::string_view>& others) {
    std::map<std::string, std::int32_t> numbers;
    for (const auto& [name, number] : place.members()) {
        if (std::find(others.begin(), others.end(), name) != others.end()) {
            continue;
        }
        if (!number.is_integer()) {
            number.refuse(
                "unknown key " + in_quotes(name) +
                did_you_mean(name, others, "; only numbers can have names that a system defines"));
        }
        if (numbers.size() == kOwnNumbersMax) {
            place.refuse(fmt::format("more than {} numbers", kOwnNumbersMax));
        }
        numbers[name] = number.integer<std::int32_t>(-kOwnNumberMax, kOwnNumberMax);
    }
    return numbers;
}

std::vector<std::string> parse_names(const Place& list, std::size_t size_max) {
    std::vector<std::string> names;
    for (const Place& element : list.elements(0, size_max)) {
        const std::string name = element.name();
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            element.refuse(in_quotes(name) + " stands in the list twice");
        }
        names.push_back(name);
    }
    return names;
}

void refuse_unknown(const Place& place, std::string_view what, const std::string& name,
                    const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
        return;
    }
    place.refuse(fmt::format("unknown {} {}", what, in_quotes(name)) +
                 did_you_mean(name, {known.begin(), known.end()},
                              fmt::format("; the scenario has {}", fmt::join(known, ", "))));
}

std::vector<std::string> caller_names(const WorldConfig& world) {
    std::vector<std::string> names;
    for (const CallerConfig& caller : world.callers) {
        names.push_back(caller.name);
    }
    return names;
}

}  // namespace lockkeeper

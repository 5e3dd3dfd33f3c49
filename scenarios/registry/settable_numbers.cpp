// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/settable_numbers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/fields.hpp"

namespace lockkeeper {
namespace {

using Numbers = std::vector<SettableNumber>;

std::string entry_name(const std::vector<CallerConfig>& callers, std::size_t first) {
    const std::string& name = callers[first].name;
    const bool has_more =
        first + 1 < callers.size() && callers[first + 1].group == callers[first].group;
    return has_more && name.back() == '1' ? name.substr(0, name.size() - 1) : name;
}

std::int64_t size_of_entry(const WorldConfig& world, std::size_t first) {
    const auto is_same = [&](const CallerConfig& caller) {
        return caller.group == world.callers[first].group;
    };
    return std::count_if(world.callers.begin(), world.callers.end(), is_same);
}

void add_callers(const Scenario& scenario, Numbers& numbers) {
    const auto entries = entries_of(scenario.world);
    const auto all = static_cast<std::int64_t>(scenario.world.callers.size());
    for (const auto& [name, first] : entries) {
        const std::int64_t count = size_of_entry(scenario.world, first);
        numbers.push_back({entries.size() == 1 ? "callers" : "callers:" + name, count, 1,
                           static_cast<std::int64_t>(kCallersMax) - (all - count),
                           "how many run the script of " + name});
    }
}

// The value that all acquires and releases say, where they say the same.
template <class Said>
std::optional<std::int64_t> said_by_calls(const Scenario& scenario, Said said) {
    std::optional<std::int64_t> value;
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire && operation.verb != Verb::kRelease) {
                continue;
            }
            const std::int64_t own = said(operation);
            if (value.value_or(own) != own) {
                return std::nullopt;
            }
            value = own;
        }
    }
    return value;
}

void add_places(const Scenario& scenario, Numbers& numbers) {
    numbers.push_back({"max_per",
                       said_by_calls(scenario, [](const Operation& o) { return o.place_capacity; }),
                       0, kMaxPerMax, "locks of each bucket, in every acquire and release"});
    numbers.push_back({"buckets",
                       said_by_calls(scenario, [](const Operation& o) { return o.places; }), 0,
                       static_cast<std::int64_t>(kBucketsMax),
                       "buckets of each key, in every acquire and release"});
    const auto resizes = static_cast<std::int64_t>(scenario.world.resizes_max());
    numbers.push_back({"resizes", resizes, 0, resizes, "so many of the scenario's resizes"});
}

void add_fields(const Scenario& scenario, const Vocabulary& words, Numbers& numbers) {
    for (const Field& field : all_fields()) {
        if (!field.has_own_name || (field.part && !knows(words, *field.part))) {
            continue;
        }
        const auto value = field.get(scenario);
        numbers.push_back(
            {std::string(field.key),
             value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt,
             static_cast<std::int64_t>(field.allowed.least),
             static_cast<std::int64_t>(field.allowed.most), std::string(field.meaning)});
    }
}

void add_own(const std::vector<OwnNumber>& known, const NamedNumbers& values,
             const std::string& before, const std::string& behind, Numbers& numbers) {
    for (const OwnNumber& number : known) {
        numbers.push_back({fmt::format("{}{}{}", before, number.name, behind),
                           values.value_or(number.name, number.otherwise), number.least,
                           number.most, number.about});
    }
}

}  // namespace

std::vector<std::pair<std::string, std::size_t>> entries_of(const WorldConfig& world) {
    std::vector<std::pair<std::string, std::size_t>> entries;
    for (std::size_t i = 0; i < world.callers.size(); ++i) {
        if (i == 0 || world.callers[i].group != world.callers[i - 1].group) {
            entries.emplace_back(entry_name(world.callers, i), i);
        }
    }
    return entries;
}

std::vector<SettableNumber> settable_numbers(const Registry& registry, const Scenario& scenario) {
    const RegisteredSystem* system = registry.find(scenario.system, scenario.variant);
    const Vocabulary words = system != nullptr ? system->vocabulary : Vocabulary{};
    Numbers numbers;
    add_callers(scenario, numbers);
    if (knows(words, FormatKey::kPlaces)) {
        add_places(scenario, numbers);
    }
    add_fields(scenario, words, numbers);
    add_own(words.parameters, scenario.parameters.own, "", "", numbers);
    add_own(words.faults, scenario.parameters.faults, "faults:", "", numbers);
    for (const auto& [name, first] : entries_of(scenario.world)) {
        add_own(words.settings, scenario.world.callers[first].settings, "settings:", ":" + name,
                numbers);
    }
    return numbers;
}

}  // namespace lockkeeper

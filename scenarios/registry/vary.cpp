// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/vary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "model/observation.hpp"
#include "model/printable.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/cases.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/registry/settable_numbers.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scheduler/proofs/looping_world.hpp"
#include "scheduler/proofs/replicated_world.hpp"

namespace lockkeeper {
namespace {

// Becomes a UsageError by the name of whoever asked.
class Refused : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string& message) { throw Refused(printable(message)); }

template <class Number>
Number within(const std::string& name, double value, double least, double most) {
    if (value != std::floor(value) || value < least || value > most) {
        refuse(fmt::format("{}: expected a whole number from {} to {}, found {}", name, least, most,
                           value));
    }
    return static_cast<Number>(value);
}

// Acquires and releases whose buckets the scenario gives as numbers.
void for_each_call(Scenario& scenario, const std::function<void(Operation&)>& change) {
    for (CallerConfig& caller : scenario.world.callers) {
        for (Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire || operation.verb == Verb::kRelease) {
                change(operation);
            }
        }
    }
}

void set_max_per(Scenario& scenario, double value) {
    const auto max_per = within<std::uint16_t>("max_per", value, 0, kMaxPerMax);
    std::uint16_t largest = 0;
    for_each_call(scenario, [&](Operation& operation) {
        largest = std::max(largest, operation.place_capacity);
    });
    if (scenario.parameters.manager_max_per == largest) {
        scenario.parameters.manager_max_per = max_per;
    }
    for_each_call(scenario, [&](Operation& operation) { operation.place_capacity = max_per; });
}

void set_buckets(Scenario& scenario, double value) {
    const auto buckets = within<std::uint16_t>("buckets", value, 0, kBucketsMax);
    bool is_changed = false;
    for_each_call(scenario, [&](Operation& operation) {
        if (!operation.follows_resizes) {
            operation.places = buckets;
            is_changed = true;
        }
    });
    if (!is_changed) {
        refuse("buckets: every operation of the scenario follows the resizes");
    }
    for (auto& entry : scenario.parameters.tables) {
        if (is_warm(entry.second) && buckets > 0) {
            entry.second = warm_table(buckets);
        }
    }
}

void set_callers(Scenario& scenario, const std::string& wanted, double value) {
    auto& callers = scenario.world.callers;
    const auto entries = entries_of(scenario.world);
    if (wanted.empty() && entries.size() > 1) {
        refuse("callers: the scenario has several entries; say callers:" + entries.front().first);
    }
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
        return wanted.empty() || candidate.first == wanted;
    });
    if (entry == entries.end()) {
        std::vector<std::string> names;
        names.reserve(entries.size());
        for (const auto& known : entries) {
            names.push_back("callers:" + known.first);
        }
        const std::string name = "callers:" + wanted;
        refuse("unknown name \"" + name + "\"" + nearest_or_known(name, names));
    }
    CallerConfig caller = callers[entry->second];
    const auto same = [&](const CallerConfig& other) { return other.group == caller.group; };
    const auto others = static_cast<double>(callers.size()) -
                        static_cast<double>(std::count_if(callers.begin(), callers.end(), same));
    const auto count = within<std::size_t>("callers", value, 1, kCallersMax - others);
    auto at =
        callers.erase(std::find_if(callers.begin(), callers.end(), same),
                      std::find_if_not(callers.begin() + static_cast<std::ptrdiff_t>(entry->second),
                                       callers.end(), same));
    for (std::size_t i = 1; i <= count; ++i) {
        caller.name = count == 1 ? entry->first : entry->first + std::to_string(i);
        at = std::next(callers.insert(at, caller));
    }
}

void set_resizes(Scenario& scenario, double value) {
    auto& views = scenario.world.views;
    const auto most = static_cast<double>(views.size() - 1);
    views.resize(1 + within<std::size_t>("resizes", value, 0, most));
}

void set_law(const std::string& name, double value, Law& law) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        names.push_back("law:" + std::string(name_of(static_cast<ActionClass>(i))));
        if (names.back() != name) {
            continue;
        }
        if (law.kind == LawKind::kUniform) {
            refuse(name + ": the law is uniform; give one with weights or rates (--law)");
        }
        if (!(value == 0 || (value >= kWeightMin && value <= kWeightMax)) ||
            (value == 0 && static_cast<ActionClass>(i) == ActionClass::kStep)) {
            refuse(fmt::format("{}: {} is no weight", name, value));
        }
        law.weights[i] = value;
        return;
    }
    refuse("unknown name \"" + name + "\"" + nearest_or_known(name, names));
}

// Numbers of the system, by the name that a scenario uses.
bool set_own(const std::vector<OwnNumber>& known, const std::string& name, double value,
             std::map<std::string, std::int32_t>& numbers) {
    const std::string base = name.substr(0, name.find(':'));
    const auto number = std::find_if(known.begin(), known.end(), [&](const OwnNumber& candidate) {
        return candidate.name == name || (candidate.per_key && candidate.name == base);
    });
    if (number == known.end()) {
        return false;
    }
    numbers[name] = within<std::int32_t>(name, value, number->least, number->most);
    return true;
}

// "settings:clock:B" without its beginning.
bool set_setting(const std::vector<OwnNumber>& known, const std::string& name, double value,
                 WorldConfig& world) {
    const std::size_t colon = name.find(':');
    const auto entries = entries_of(world);
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
        return colon != std::string::npos && candidate.first == name.substr(colon + 1);
    });
    if (entry == entries.end()) {
        return false;
    }
    const std::uint8_t group = world.callers[entry->second].group;
    bool is_known = false;
    for (CallerConfig& caller : world.callers) {
        is_known = is_known || (caller.group == group &&
                                set_own(known, name.substr(0, colon), value, caller.settings));
        if (is_known && caller.group == group) {
            caller.settings[name.substr(0, colon)] = static_cast<std::int32_t>(value);
        }
    }
    return is_known;
}

using Setter = void (*)(Scenario&, double);
struct NamedSetter {
    const char* name;
    Setter set;
};
// Parameters that are more than one plain field.
const NamedSetter kSetters[] = {
    {"max_per", set_max_per},
    {"buckets", set_buckets},
    {"resizes", set_resizes},
};

void vary_or_refuse(const Registry& registry, const std::string& name, double value,
                    Scenario& scenario, Law& law) {
    const RegisteredSystem* system = registry.find(scenario.system, scenario.variant);
    const Vocabulary words = system != nullptr ? system->vocabulary : Vocabulary{};
    const auto applies = [&](const Field& field) {
        return field.has_own_name && (!field.part || knows(words, *field.part));
    };
    for (const NamedSetter& setter : kSetters) {
        if (name == setter.name) {
            setter.set(scenario, value);
            return;
        }
    }
    if (const Field* field = field_named(name); field != nullptr && applies(*field)) {
        field->set(scenario,
                   within<std::uint64_t>(name, value, static_cast<double>(field->allowed.least),
                                         static_cast<double>(field->allowed.most)));
        return;
    }
    if (name == "callers" || name.starts_with("callers:")) {
        set_callers(scenario, name.size() > 8 ? name.substr(8) : "", value);
        return;
    }
    if (name.starts_with("law:")) {
        set_law(name, value, law);
        return;
    }
    if (name.starts_with("settings:") &&
        set_setting(words.settings, name.substr(9), value, scenario.world)) {
        return;
    }
    if (name.starts_with("faults:")
            ? set_own(words.faults, name.substr(7), value, scenario.parameters.faults)
            : set_own(words.parameters, name, value, scenario.parameters.own)) {
        return;
    }
    std::vector<std::string> names{"callers"};
    for (const NamedSetter& setter : kSetters) {
        names.emplace_back(setter.name);
    }
    for (const SettableNumber& number : settable_numbers(registry, scenario)) {
        names.push_back(number.name);
    }
    refuse("unknown name \"" + name + "\"" + nearest_or_known(name, names));
}

}  // namespace

bool is_warm(const ScenarioTable& table) {
    return !table.buckets.empty() &&
           table.highest == static_cast<std::int32_t>(table.buckets.size()) &&
           std::all_of(table.buckets.begin(), table.buckets.end(),
                       [](std::int32_t counter) { return counter == 0; });
}

ScenarioTable warm_table(std::uint16_t buckets) {
    return {std::vector<std::int32_t>(buckets, 0), buckets};
}

void vary(const Registry& registry, const std::string& name, double value, Scenario& scenario,
          Law& law, const std::string& by) {
    try {
        vary_or_refuse(registry, name, value, scenario, law);
    } catch (const Refused& refused) {
        throw UsageError(by + ": " + refused.what());
    }
}

void set_number(const Registry& registry, const std::string& name, std::int32_t value,
                Scenario& scenario, const std::string& by) {
    Law uniform;  // a search has none: "law:..." is refused
    vary(registry, name, value, scenario, uniform, by);
}

void take_variant(const Registry& registry, const std::string& name, Scenario& scenario) {
    const std::size_t slash = name.find('/');
    const std::string system = slash == std::string::npos ? scenario.system : name.substr(0, slash);
    std::string variant = slash == std::string::npos ? name : name.substr(slash + 1);
    const RegisteredSystem* known = registry.find(system, variant);
    std::string of_system = system;
    if (known == nullptr && slash == std::string::npos) {
        // A system by its own name stands for what it does when a scenario says no more.
        known = registry.find(name, "faithful");
        of_system = known != nullptr ? name : system;
        variant = known != nullptr ? "faithful" : variant;
    }
    if (known == nullptr) {
        std::vector<std::string> names;
        for (const RegisteredSystem& candidate : registry.systems()) {
            const bool is_own = candidate.system == scenario.system && slash == std::string::npos;
            names.push_back(is_own ? candidate.variant
                                   : candidate.system + "/" + candidate.variant);
        }
        throw UsageError("--compare: unknown variant \"" + printable(name) + "\"" +
                         nearest_or_known(name, names));
    }
    scenario.system = of_system;
    scenario.variant = variant;
    std::erase_if(scenario.check, [&](const std::string& check) {
        const Property* property = find_property(check);
        return property != nullptr && (property->needs & ~known->features) != 0;
    });
}

const RegisteredSystem& system_named(const Registry& registry, std::string_view flag,
                                     const std::string& name) {
    std::vector<std::string> known;
    for (const RegisteredSystem& system : registry.systems()) {
        known.push_back(system.system + "/" + system.variant);
        if (known.back() == name) {
            return system;
        }
    }
    throw UsageError(std::string(flag) + ": no system \"" + printable(name) + "\"" +
                     nearest_or_known(name, known));
}

namespace {

// Without what was asked of other numbers of callers.
Scenario only_its_system(const Scenario& scenario, const std::vector<const Property*>& check,
                         WorldConfig world) {
    std::vector<std::string> names;
    names.reserve(check.size());
    for (const Property* property : check) {
        names.emplace_back(property->name);
    }
    Scenario only = only_to_explore(scenario, std::move(names));
    only.world = std::move(world);
    only.law.reset();
    only.traffic.reset();
    return only;
}

MadeSystem made_to_prove(const Registry& registry, const Scenario& scenario,
                         std::uint32_t& features) {
    const auto understood = registry.understand(scenario);
    if (const auto* error = std::get_if<InputError>(&understood)) {
        return *error;
    }
    const auto& known = std::get<Understood>(understood);
    features = known.system->features_by_record;
    if (known.system->make_by_record) {
        return known.system->make_by_record(known.scenario);
    }
    MadeRunner made = known.system->make(known.scenario);
    if (const auto* error = std::get_if<InputError>(&made)) {
        return *error;
    }
    return std::get<std::unique_ptr<Runner>>(made)->erased();
}

}  // namespace

std::variant<Scenario, InputError> replicated(const Scenario& scenario,
                                              const std::vector<const Property*>& check,
                                              const std::vector<std::size_t>& counts) {
    const Scenario many =
        only_its_system(scenario, check, proofs::looping_world(scenario.world, counts, false));
    // The text has no cases, whatever the file of the scenario has.
    auto parsed = parse_scenario(to_json_text(many), named_case(scenario.file).file);
    if (auto* read = std::get_if<Scenario>(&parsed)) {
        read->file = scenario.file;
    }
    return parsed;
}

std::variant<proofs::ReplicatedWorld, InputError> take_apart(
    const Registry& registry, const Scenario& scenario, const std::vector<const Property*>& check) {
    std::vector<ErasedSystem> systems;
    std::uint32_t features = 0;
    for (WorldConfig world :
         {proofs::world_to_take_apart(scenario.world), proofs::one_of_each(scenario.world),
          proofs::one_is_absent(scenario.world)}) {
        const MadeSystem made =
            made_to_prove(registry, only_its_system(scenario, check, std::move(world)), features);
        if (const auto* error = std::get_if<InputError>(&made)) {
            return *error;
        }
        systems.push_back(std::get<ErasedSystem>(made));
    }
    proofs::ReplicatedWorld apart(systems[0], systems[1], systems[2]);
    apart.shows_only(features);
    return apart;
}

}  // namespace lockkeeper

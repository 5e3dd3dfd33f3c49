// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/registry.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/registry/checks.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vocabulary.hpp"

namespace lockkeeper {
namespace {

// Sets what a World carries along only where somebody asks for it.
void set_up_world(const Understood& understood, WorldConfig& world) {
    // A fault in the words of those systems whose clients can start again.
    world.restarts_max = static_cast<std::uint8_t>(
        understood.scenario.parameters.faults.value_or(client_restarts().name, 0));
    world.watches_others = std::any_of(
        understood.check.begin(), understood.check.end(),
        [](const Property* property) { return property->monitor == Monitor::kOthersDuringCall; });
}

}  // namespace

bool knows(const Vocabulary& vocabulary, FormatKey key) {
    const auto& keys = vocabulary.format_keys;
    return !keys || std::find(keys->begin(), keys->end(), key) != keys->end();
}

OwnNumber of_time(OwnNumber number, std::int32_t no_time) {
    number.is_time = true;
    number.no_time = no_time;
    return number;
}

void Registry::add(RegisteredSystem system) { systems_.push_back(std::move(system)); }

const RegisteredSystem* Registry::find(const std::string& system,
                                       const std::string& variant) const {
    const auto found =
        std::find_if(systems_.begin(), systems_.end(), [&](const RegisteredSystem& known) {
            return known.system == system && known.variant == variant;
        });
    return found == systems_.end() ? nullptr : &*found;
}

std::variant<Understood, InputError> Registry::understand(Scenario scenario) const {
    std::vector<std::string> systems;
    std::vector<std::string> variants;
    for (const RegisteredSystem& known : systems_) {
        systems.push_back(known.system);
        if (known.system == scenario.system) {
            variants.push_back(known.variant);
        }
    }
    if (variants.empty()) {
        return InputError{scenario.file, "/system",
                          is_outside_lock(scenario.system)
                              ? what_to_type(scenario.system, scenario.file)
                              : "unknown system \"" + scenario.system + "\"" +
                                    nearest_or_known(scenario.system, systems)};
    }
    const RegisteredSystem* known = find(scenario.system, scenario.variant);
    if (known == nullptr) {
        return InputError{scenario.file, "/variant",
                          "system \"" + scenario.system + "\" has no variant \"" +
                              scenario.variant + "\"" +
                              nearest_or_known(scenario.variant, variants)};
    }
    Understood understood{known, {}, {}, {}};
    auto error = take_value(properties_to_check(scenario, known->features), understood.check);
    error = error ? error : take_value(goals_to_reach(scenario), understood.reach);
    error = error ? error
                  : take_value(in_the_words_of(*known, std::move(scenario), variants),
                               understood.scenario);
    if (error) {
        return *std::move(error);
    }
    set_up_world(understood, understood.scenario.world);
    return understood;
}

MadeRunner Registry::make(const Scenario& scenario) const {
    const auto understood = understand(scenario);
    if (const auto* error = std::get_if<InputError>(&understood)) {
        return *error;
    }
    const auto& known = std::get<Understood>(understood);
    return known.system->make(known.scenario);
}

std::vector<std::size_t> order_of(const Scenario& scenario, const WorldConfig& world) {
    std::vector<std::size_t> order;
    const auto& callers = world.callers;
    for (const std::string& name : scenario.order) {
        const auto caller =
            std::find_if(callers.begin(), callers.end(),
                         [&](const CallerConfig& candidate) { return candidate.name == name; });
        LOCKKEEPER_CHECK(caller != callers.end());
        order.push_back(static_cast<std::size_t>(caller - callers.begin()));
    }
    return order;
}

}  // namespace lockkeeper

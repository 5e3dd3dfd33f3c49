#include "scenarios/registry/registry.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vocabulary.hpp"

namespace lockkeeper {
namespace {

std::vector<std::string> names_of(std::span<const Property> properties) {
    std::vector<std::string> names;
    for (const Property& property : properties) {
        names.emplace_back(property.name);
    }
    return names;
}

bool applies(const Property& property, std::uint32_t features) {
    return (property.needs & ~features) == 0;
}

// What a scenario has to give so that the property can be judged.
std::string missing_bound(const Property& property) {
    return property.needs == kBoundsTelling   ? "; give the parameter told_within"
           : property.needs == kBoundsFreeing ? "; give the parameter free_within"
                                              : "";
}

// "safety": what is bad whenever it happens; notices and the graph's properties are left out.
bool is_safety(const Property& property) {
    return property.kind != PropertyKind::kEventually && property.severity != Severity::kNotice;
}

}  // namespace

bool knows(const Vocabulary& vocabulary, FormatKey key) {
    const auto& keys = vocabulary.format_keys;
    return !keys || std::find(keys->begin(), keys->end(), key) != keys->end();
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
                          "unknown system \"" + scenario.system + "\"" +
                              nearest_or_known(scenario.system, systems)};
    }
    const RegisteredSystem* known = find(scenario.system, scenario.variant);
    if (known == nullptr) {
        return InputError{scenario.file, "/variant",
                          "system \"" + scenario.system + "\" has no variant \"" +
                              scenario.variant + "\"" +
                              nearest_or_known(scenario.variant, variants)};
    }
    const auto checks = properties_to_check(scenario, known->features);
    if (const auto* error = std::get_if<InputError>(&checks)) {
        return *error;
    }
    auto understood = in_the_words_of(*known, std::move(scenario), variants);
    if (const auto* error = std::get_if<InputError>(&understood)) {
        return *error;
    }
    return Understood{known, std::get<Scenario>(std::move(understood))};
}

MadeRunner Registry::make(const Scenario& scenario) const {
    const auto understood = understand(scenario);
    if (const auto* error = std::get_if<InputError>(&understood)) {
        return *error;
    }
    const auto& [system, in_its_words] = std::get<Understood>(understood);
    return system->make(in_its_words);
}

std::variant<std::vector<const Property*>, InputError> properties_to_check(const Scenario& scenario,
                                                                           std::uint32_t features) {
    std::vector<const Property*> chosen;
    const auto add = [&](const Property* property) {
        if (std::find(chosen.begin(), chosen.end(), property) == chosen.end()) {
            chosen.push_back(property);
        }
    };
    for (std::size_t i = 0; i < scenario.check.size(); ++i) {
        const std::string& name = scenario.check[i];
        const std::string pointer = "/check/" + std::to_string(i);
        if (name == "all" || name == "safety") {
            for (const Property& property : all_properties()) {
                if (applies(property, features) && (name == "all" || is_safety(property))) {
                    add(&property);
                }
            }
            continue;
        }
        const Property* property = find_property(name);
        if (property == nullptr) {
            return InputError{scenario.file, pointer, unknown_property(name, {"all", "safety"})};
        }
        if (!applies(*property, features)) {
            return InputError{scenario.file, pointer,
                              "property \"" + name + "\" does not apply to system \"" +
                                  scenario.system + "\": it does not show what is needed" +
                                  missing_bound(*property)};
        }
        add(property);
    }
    return chosen;
}

std::variant<std::vector<const Property*>, InputError> goals_to_reach(const Scenario& scenario) {
    std::vector<const Property*> goals;
    for (std::size_t i = 0; i < scenario.reach.size(); ++i) {
        const Property* goal = find_goal(scenario.reach[i]);
        if (goal == nullptr) {
            return InputError{scenario.file, "/reach/" + std::to_string(i),
                              "unknown goal \"" + scenario.reach[i] + "\"" +
                                  nearest_or_known(scenario.reach[i], names_of(all_goals()))};
        }
        goals.push_back(goal);
    }
    return goals;
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

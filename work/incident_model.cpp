// SPDX-License-Identifier: Apache-2.0
#include "work/incident_model.hpp"

#include <algorithm>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

// The number that says how long the system's leases last, or how many hold at once.
std::string promise_of(const RegisteredSystem& system) {
    for (const OwnNumber& number : system.vocabulary.parameters) {
        if (number.name == "ttl" || number.name == "locktimeout") {
            return number.name;
        }
    }
    return "max_per";
}

}  // namespace

IncidentModel incident_model(const Registry& registry, const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    std::string name = text.substr(0, colon);
    const auto& systems = registry.systems();
    const bool is_system =
        name.find('/') != std::string::npos ||
        std::any_of(systems.begin(), systems.end(),
                    [&](const RegisteredSystem& system) { return system.system == name; });
    if (!is_system) {
        return {text, ""};
    }
    name += name.find('/') == std::string::npos ? "/faithful" : "";
    const RegisteredSystem& system = system_named(registry, "--model", name);
    const std::string promise = promise_of(system);
    const std::string beginning = promise + "=";
    const std::string parameters = colon < text.size() ? text.substr(colon + 1) : "";
    if (!parameters.starts_with(beginning) || parameters.find(',') != std::string::npos) {
        throw UsageError("--model: " + text + ": a system's model says its " + promise +
                         " alone: " + name + ":" + promise +
                         (promise == "max_per" ? "=3" : "=15s"));
    }
    const std::string value = parameters.substr(beginning.size());
    return {promise == "max_per" ? "semaphore:" + value : "lease:ttl=" + value, name};
}

}  // namespace lockkeeper

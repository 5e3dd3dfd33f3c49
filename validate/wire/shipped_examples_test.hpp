// SPDX-License-Identifier: Apache-2.0

// The scenarios of examples/wire, put to a client as the command does.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "scenarios/recorded_trace.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {

inline const std::string kExamples = LOCKKEEPER_SOURCE_DIR "/examples/wire/";

// What a search of the scenario found, and whether it was complete.
inline SteppedResult searched_on(ServerKind server, const std::string& client,
                                 const std::string& name,
                                 const WireSearchOptions& options = exploring()) {
    auto loaded = load_replayable(kExamples + name + ".json");
    WirePlan plan;
    plan.command = client;
    plan.server = server;
    const WireScenario made = for_wire(std::get<Scenario>(std::move(loaded)), plan, {}, false);
    Wire wire(settings_of(made.plan, made.world));
    WireSearch search(wire, made.world, made.plan.scope, options);
    return search.search();
}

}  // namespace lockkeeper::wire

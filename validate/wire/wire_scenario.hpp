// SPDX-License-Identifier: Apache-2.0

// A scenario made ready to be put to unmodified clients. Throws BadInput; for what only a flag
// makes wrong UsageError, which names the flag.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/recorded_trace.hpp"
#include "validate/programs/program_scenario.hpp"
#include "validate/wire/framing.hpp"
#include "validate/wire/wire_choices.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

// How the clients are held.
struct WirePlan {
    ServerKind server = ServerKind::kRedis;
    std::string command;
    Freshness freshness = Freshness::kKept;
    double answer_seconds = 10;
    bool reduces = true;
    OutsideServer outside = {};  // --wire tcp, as flags have it; the rest is the scenario's
    WireScope scope = {};
    std::size_t servers = 1;   // of that kind, as the scenario says
    std::size_t replicas = 0;  // and of these so many, the last ones, are replicas of the first
};

// The unknown server as far as the flags describe it.
[[nodiscard]] OutsideServer outside_server(const std::optional<std::string>& command,
                                           std::optional<Framing> framing);

struct WireScenario : ProgramScenario {
    WirePlan plan;
};

// `plan`: without its scope, which is made of the scenario and the flags. Faults: those of
// kFaultRows.
[[nodiscard]] WireScenario for_wire(Scenario scenario, WirePlan plan, const ScopeFlags& flags,
                                    bool is_check_of_flag);
// Where no scenario is named: so many callers with this script ("acquire,renew,release"), one crash
// with a restart, one lost connection, one expiry.
[[nodiscard]] Scenario built_in_wire(std::size_t callers, const std::string& script);
// A file, or that scenario (kBuiltInWire).
[[nodiscard]] std::variant<Scenario, RecordedTrace> load_for_wire(const std::string& file,
                                                                  std::size_t callers,
                                                                  const std::string& script);
[[nodiscard]] WireSettings settings_of(const WirePlan& plan, const OutsideWorld& world);

}  // namespace lockkeeper::wire

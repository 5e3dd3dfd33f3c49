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
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

inline constexpr const char* kBuiltInWire = "built-in:wire";

// The flags of the scope, which override the scenario.
struct ScopeFlags {
    std::optional<std::uint32_t> crashes;
    std::optional<std::uint32_t> restarts;
    std::optional<std::uint32_t> drops;
    std::optional<std::uint32_t> expiries;
    std::optional<std::uint32_t> wakes;
    std::optional<std::uint32_t> failovers;
    std::optional<std::uint32_t> server_restarts;
    std::optional<std::uint32_t> late;
    std::optional<std::uint32_t> jumps;
    std::optional<std::uint32_t> server_crashes;
    std::optional<std::uint32_t> cuts;
    std::optional<std::uint32_t> server_jumps;
};

struct FaultRow {
    std::string_view name;  // under "faults"; flag_of() as a flag
    std::optional<std::uint32_t> ScopeFlags::*flag;
    std::string_view help;
};
inline constexpr FaultRow kFaultRows[] = {
    {"crashes", &ScopeFlags::crashes, "so many callers may be killed, at any step"},
    {"restarts", &ScopeFlags::restarts, "so many killed callers may start again"},
    {"drops", &ScopeFlags::drops,
     "connections that may be lost, before or after a request is done"},
    {"expiries", &ScopeFlags::expiries, "how often time may pass to the next end of a lock"},
    {"failovers", &ScopeFlags::failovers, "how often the server fails over and forgets a write"},
    {"server_restarts", &ScopeFlags::server_restarts,
     "how often the server restarts: it keeps its data, no connection and no script"},
    {"server_crashes", &ScopeFlags::server_crashes, "crashes of servers, until they start again"},
    {"cuts", &ScopeFlags::cuts, "how often a caller is cut off from a server"},
    {"server_jumps", &ScopeFlags::server_jumps, "jumps of servers' clocks"},
    {"late", &ScopeFlags::late, "late requests of killed callers or lost connections"},
    {"jumps", &ScopeFlags::jumps, "jumps of callers' wall clocks"},
    {"wakes", &ScopeFlags::wakes, "how many waits of callers may end by time"},
};

// "--server-restarts".
[[nodiscard]] std::string flag_of(std::string_view fault);

// How the clients are held.
struct WirePlan {
    ServerKind server = ServerKind::kRedis;
    std::string command;
    Freshness freshness = Freshness::kKept;
    double answer_seconds = 10;
    bool reduces = true;
    OutsideServer outside = {};  // --wire tcp, as flags have it; the rest is the scenario's
    WireScope scope = {};
    std::size_t servers = 1;  // of that kind, as the scenario says
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
// "1 lost connection, 1 expiry", for reports.
[[nodiscard]] std::string faults_text(const WireScope& scope, const WorldConfig& world);

[[nodiscard]] WireSettings settings_of(const WirePlan& plan, const OutsideWorld& world);

}  // namespace lockkeeper::wire

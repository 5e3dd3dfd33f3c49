// SPDX-License-Identifier: Apache-2.0

// The choices that a person has for clients at the wire, with their words on the command line.
// Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockkeeper::wire {

// In the order of the words of --wire.
enum class ServerKind : std::uint8_t { kRedis, kPostgresql, kMariadb, kTcp, kFiles };
inline constexpr const char* kServerKinds[] = {"redis", "postgresql", "mariadb", "tcp", "files"};
[[nodiscard]] constexpr const char* name_of(ServerKind kind) {
    return kServerKinds[static_cast<std::size_t>(kind)];
}

// Its statements are SQL; each session is a party of the server that waits by itself.
[[nodiscard]] constexpr bool is_database(ServerKind kind) {
    return kind == ServerKind::kPostgresql || kind == ServerKind::kMariadb;
}

// In the order of the words of --framing.
enum class Framing : std::uint8_t { kNewline, kLength, kHttp, kZookeeper, kNats };
inline constexpr const char* kFramings[] = {"newline", "length", "http", "zookeeper", "nats"};

// How a caller becomes fresh for the next run.
enum class Freshness : std::uint8_t {
    kKept,     // "reset" where the driver offers it, else kForked
    kForked,   // "fork" where the driver offers it, else kStarted
    kStarted,  // a new process
};
inline constexpr const char* kFreshnesses[] = {"kept", "forked", "started"};

inline constexpr std::size_t kWireCallersMax = 8;
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

}  // namespace lockkeeper::wire

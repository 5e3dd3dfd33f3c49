// SPDX-License-Identifier: Apache-2.0
#include "model/crash_takes.hpp"
#include "scenarios/field_row.hpp"
#include "scenarios/keys/codecs.hpp"

namespace lockkeeper {
namespace {

template <class Member>
Field limit(std::string_view key, const Allowed& allowed, std::string_view meaning,
            Member ScenarioLimits::*member) {
    return with_member(
        {.object = "limits",
         .key = key,
         .allowed = allowed,
         .meaning = meaning,
         .otherwise = "as the command says"},
        [=](auto& scenario) -> auto& { return scenario.limits.*member; });
}

Field server_text(std::string_view key, std::string_view meaning,
                  std::string OutsideServer::*member) {
    return with_member(
        {.object = "server",
         .key = key,
         .allowed = text(),
         .meaning = meaning,
         .otherwise = "empty"},
        [=](auto& scenario) -> auto& { return scenario.server.*member; });
}

// Without words for `otherwise`, the key is required.
template <class Member>
Field of_rate_limit(std::string_view key, const Allowed& allowed, std::string_view meaning,
                    std::string_view otherwise, Member RateLimit::*member) {
    return with_member(
        {.object = "rate_limit",
         .key = key,
         .allowed = allowed,
         .meaning = meaning,
         .otherwise = otherwise,
         .required = otherwise.empty(),
         .goes_with = kOutside},
        [=](auto& scenario) -> auto& { return scenario.rate_limit.*member; });
}

Field of_traffic(std::string_view key, const Allowed& allowed, std::string_view meaning,
                 std::string_view otherwise, double Traffic::*member) {
    return with_member(
        {.object = "traffic",
         .key = key,
         .allowed = allowed,
         .meaning = meaning,
         .otherwise = otherwise,
         .required = otherwise.empty(),
         .is_always_written = true},
        [=](auto& scenario) -> auto& { return (*scenario.traffic).*member; });
}

const std::vector<Field> kObjectsTable{
    with_member(
        {.object = "parameters",
         .key = "manager_max_per",
         .allowed = whole(0, kMaxPerMax),
         .meaning = "what the manager was started with",
         .otherwise = "the largest max_per of the scripts",
         .is_always_written = true,
         .part = FormatKey::kManager,
         .has_own_name = true},
        [](auto& scenario) -> auto& { return scenario.parameters.manager_max_per; }),
    with_member(
        {.object = "parameters",
         .key = "max_decr_tries",
         .allowed = whole(0, kDecrTriesMax, "unlimited"),
         .meaning = "attempts to subtract a cap mark before the forced double "
                    "decrement",
         .is_always_written = true,
         .part = FormatKey::kMaxDecrTries,
         .has_own_name = true},
        [](auto& scenario) -> auto& { return scenario.parameters.max_decr_tries; }),
    with_member(
        {.object = "parameters",
         .key = "manager",
         .allowed = one_of("full", "none", 0),
         .meaning = "none leaves out everything that concerns the manager",
         .is_always_written = true,
         .part = FormatKey::kManager},
        [](auto& scenario) -> auto& { return scenario.parameters.has_manager; }),
    with_member(
        {.object = "parameters",
         .key = "returns",
         .allowed = one_of("count", "plain", 0),
         .meaning = "what acquire returns: {acquired, Count} or acquired",
         .is_always_written = true,
         .part = FormatKey::kReturns},
        [](auto& scenario) -> auto& { return scenario.parameters.returns_count; }),
    with_codec(
        {.object = "parameters",
         .key = "table",
         .values =
             "`\"cold\"`, `{\"warm\": n}`, or by key: see [tables](scripts.md#tables-at-the-start)",
         .meaning = "counters at the start",
         .otherwise = "cold: no bucket exists",
         .part = FormatKey::kTable},
        kTableCodec),
    with_codec({.object = "parameters",
                .key = "relations",
                .values = "`{\"write\": {\"assertive\": [\"read\"]}}`",
                .meaning = "for each key and kind of relation, keys",
                .otherwise = "none"},
               kRelationsCodec),
    with_codec({.object = "parameters",
                .key = "repairs",
                .values = "names, or `{\"all_but\": [...]}`",
                .meaning = "repairs that are on, or all of the variant but those named",
                .otherwise = "as the variant says"},
               kRepairsCodec),
    with_codec(
        {.object = "parameters",
         .key = kCrashTakesName,
         .values = "`\"locks\"`, `\"callers\"`, `\"nothing\"`",
         .meaning = "validate --program --level black-box: what the crash of a process takes "
                    "with it",
         .otherwise = "as the program says, else locks"},
        kCrashTakesCodec),

    with_member(
        {.object = "faults",
         .key = "crashes",
         .allowed = whole(0, kCrashesMax),
         .meaning = "callers that may crash in one run, at any step",
         .is_always_written = true,
         .has_own_name = true,
         .shrinks = true},
        [](auto& scenario) -> auto& { return scenario.world.crashes_max; }),

    limit("states", whole(1, kLimitMax), "explore: different states", &ScenarioLimits::states_max),
    limit("steps", whole(1, kLimitMax), "of one run; explore: depth", &ScenarioLimits::steps_max),
    limit("schedules", whole(1, kLimitMax), "fuzz: runs", &ScenarioLimits::schedules_max),
    limit("seconds", number(kSecondsMin, kSecondsMax), "of the whole search",
          &ScenarioLimits::seconds_max),

    of_rate_limit("grants", whole(1, kRateGrantsMax), "so many within a window", "",
                  &RateLimit::grants),
    of_rate_limit("within", whole(1, kOwnNumberMax),
                  "length of a window: milliseconds at the wire, the time of its clock for a "
                  "program",
                  "", &RateLimit::within),
    of_rate_limit("burst", whole(1, 2 * kRateGrantsMax),
                  "the most that fall into any window of this length", "grants", &RateLimit::burst),
    of_rate_limit("at_least", whole(1, kRateGrantsMax),
                  "nobody is refused while fewer than these fall into the last window", "1",
                  &RateLimit::at_least),

    server_text("command", "starts it at 127.0.0.1:{port}; its folder {dir} is removed",
                &OutsideServer::command),
    server_text("framing", "newline, length (4 bytes, big endian), http, zookeeper or nats",
                &OutsideServer::framing),
    server_text("reset",
                "a request that makes it forget everything; else it starts again for each run",
                &OutsideServer::reset),
    server_text("granted", "what a reply says of a lease, with {lease} and {seconds}",
                &OutsideServer::granted),
    server_text("expire",
                "the request that ends {lease}, for a server that cannot be given a clock",
                &OutsideServer::expire),
    server_text("changing",
                "lines with {} for what of requests and replies is another one in each run",
                &OutsideServer::changing),
    with_member(
        {.object = "server",
         .key = "count",
         .allowed = whole(1, kServersMax),
         .meaning = "--wire redis: so many servers, apart from each other",
         .otherwise = "1"},
        [](auto& scenario) -> auto& { return scenario.server.count; }),
    with_member(
        {.object = "server",
         .key = "replicas",
         .allowed = whole(0, kServersMax - 1),
         .meaning = "--wire redis: so many replicas of the one server, which lag",
         .otherwise = "0"},
        [](auto& scenario) -> auto& { return scenario.server.replicas; }),

    of_traffic("acquires_per_second", number(kWeightMin, kWeightMax), "of all callers together", "",
               &Traffic::acquires_per_second),
    of_traffic("hold_seconds", number(kWeightMin, kWeightMax, true), "how long a lock is held", "0",
               &Traffic::hold_seconds),
    of_traffic("crashes_per_hour", number(kWeightMin, kWeightMax, true), "of all callers together",
               "0", &Traffic::crashes_per_hour),
    of_traffic("resizes_per_hour", number(kWeightMin, kWeightMax, true),
               "how often the number of buckets changes", "0", &Traffic::resizes_per_hour),
    of_traffic("steps_per_second", number(kWeightMin, kWeightMax),
               "of one caller inside a call, and of each background action", "1000",
               &Traffic::steps_per_second),
};

}  // namespace

std::vector<Field> table_of_objects() { return kObjectsTable; }

}  // namespace lockkeeper

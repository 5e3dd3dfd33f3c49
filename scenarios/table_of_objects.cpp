// SPDX-License-Identifier: Apache-2.0
#include "model/crash_takes.hpp"
#include "scenarios/field_row.hpp"
#include "scenarios/keys/codecs.hpp"

namespace lockkeeper {
namespace {

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

    with_member(
        {.object = "limits",
         .key = "states",
         .allowed = whole(1, kLimitMax),
         .meaning = "explore: different states",
         .otherwise = "as the command says"},
        [](auto& scenario) -> auto& { return scenario.limits.states_max; }),
    with_member(
        {.object = "limits",
         .key = "steps",
         .allowed = whole(1, kLimitMax),
         .meaning = "of one run; explore: depth",
         .otherwise = "as the command says"},
        [](auto& scenario) -> auto& { return scenario.limits.steps_max; }),
    with_member(
        {.object = "limits",
         .key = "schedules",
         .allowed = whole(1, kLimitMax),
         .meaning = "fuzz: runs",
         .otherwise = "as the command says"},
        [](auto& scenario) -> auto& { return scenario.limits.schedules_max; }),
    with_member(
        {.object = "limits",
         .key = "seconds",
         .allowed = number(kSecondsMin, kSecondsMax),
         .meaning = "of the whole search",
         .otherwise = "as the command says"},
        [](auto& scenario) -> auto& { return scenario.limits.seconds_max; }),

    with_member(
        {.object = "rate_limit",
         .key = "grants",
         .allowed = whole(1, kRateGrantsMax),
         .meaning = "so many within a window",
         .required = true,
         .goes_with = kOutside},
        [](auto& scenario) -> auto& { return scenario.rate_limit.grants; }),
    with_member(
        {.object = "rate_limit",
         .key = "within",
         .allowed = whole(1, kOwnNumberMax),
         .meaning = "length of a window: milliseconds at the wire, the time of its clock for a "
                    "program",
         .required = true,
         .goes_with = kOutside},
        [](auto& scenario) -> auto& { return scenario.rate_limit.within; }),
    with_member(
        {.object = "rate_limit",
         .key = "burst",
         .allowed = whole(1, 2 * kRateGrantsMax),
         .meaning = "the most that fall into any window of this length",
         .otherwise = "grants",
         .goes_with = kOutside},
        [](auto& scenario) -> auto& { return scenario.rate_limit.burst; }),
    with_member(
        {.object = "rate_limit",
         .key = "at_least",
         .allowed = whole(1, kRateGrantsMax),
         .meaning = "nobody is refused while fewer than these fall into the last window",
         .otherwise = "1",
         .goes_with = kOutside},
        [](auto& scenario) -> auto& { return scenario.rate_limit.at_least; }),

    with_member(
        {.object = "server",
         .key = "command",
         .allowed = text(),
         .meaning = "starts it at 127.0.0.1:{port}; its folder {dir} is removed",
         .otherwise = "empty"},
        [](auto& scenario) -> auto& { return scenario.server.command; }),
    with_member(
        {.object = "server",
         .key = "framing",
         .allowed = text(),
         .meaning = "newline, length (4 bytes, big endian), http, zookeeper or nats",
         .otherwise = "empty"},
        [](auto& scenario) -> auto& { return scenario.server.framing; }),
    with_member(
        {.object = "server",
         .key = "reset",
         .allowed = text(),
         .meaning = "a request that makes it forget everything; else it starts again for each run",
         .otherwise = "empty"},
        [](auto& scenario) -> auto& { return scenario.server.reset; }),
    with_member(
        {.object = "server",
         .key = "granted",
         .allowed = text(),
         .meaning = "what a reply says of a lease, with {lease} and {seconds}",
         .otherwise = "empty"},
        [](auto& scenario) -> auto& { return scenario.server.granted; }),
    with_member(
        {.object = "server",
         .key = "expire",
         .allowed = text(),
         .meaning = "the request that ends {lease}, for a server that cannot be given a clock",
         .otherwise = "empty"},
        [](auto& scenario) -> auto& { return scenario.server.expire; }),
    with_member(
        {.object = "server",
         .key = "changing",
         .allowed = text(),
         .meaning = "lines with {} for what of requests and replies is another one in each run",
         .otherwise = "empty"},
        [](auto& scenario) -> auto& { return scenario.server.changing; }),
    with_member(
        {.object = "server",
         .key = "count",
         .allowed = whole(1, kServersMax),
         .meaning = "--wire redis: so many servers, apart from each other",
         .otherwise = "1"},
        [](auto& scenario) -> auto& { return scenario.server.count; }),

    with_member(
        {.object = "traffic",
         .key = "acquires_per_second",
         .allowed = number(kWeightMin, kWeightMax),
         .meaning = "of all callers together",
         .required = true,
         .is_always_written = true},
        [](auto& scenario) -> auto& { return scenario.traffic->acquires_per_second; }),
    with_member(
        {.object = "traffic",
         .key = "hold_seconds",
         .allowed = number(kWeightMin, kWeightMax, true),
         .meaning = "how long a lock is held",
         .otherwise = "0",
         .is_always_written = true},
        [](auto& scenario) -> auto& { return scenario.traffic->hold_seconds; }),
    with_member(
        {.object = "traffic",
         .key = "crashes_per_hour",
         .allowed = number(kWeightMin, kWeightMax, true),
         .meaning = "of all callers together",
         .otherwise = "0",
         .is_always_written = true},
        [](auto& scenario) -> auto& { return scenario.traffic->crashes_per_hour; }),
    with_member(
        {.object = "traffic",
         .key = "resizes_per_hour",
         .allowed = number(kWeightMin, kWeightMax, true),
         .meaning = "how often the number of buckets changes",
         .otherwise = "0",
         .is_always_written = true},
        [](auto& scenario) -> auto& { return scenario.traffic->resizes_per_hour; }),
    with_member(
        {.object = "traffic",
         .key = "steps_per_second",
         .allowed = number(kWeightMin, kWeightMax),
         .meaning = "of one caller inside a call, and of each background action",
         .otherwise = "1000",
         .is_always_written = true},
        [](auto& scenario) -> auto& { return scenario.traffic->steps_per_second; }),
};

}  // namespace

std::vector<Field> table_of_objects() { return kObjectsTable; }

}  // namespace lockkeeper

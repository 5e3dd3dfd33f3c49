// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "scenarios/field_row.hpp"
#include "scenarios/keys/codecs.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kSeedMax = std::numeric_limits<std::uint64_t>::max();

const std::vector<Field> kTopLevelTable{
    with_codec({.key = "$schema",
                .values = "a path",
                .meaning = "path or address of the schema, for editors; not read",
                .otherwise = "none"},
               kSchemaNameCodec),
    with_codec({.key = "version",
                .values = "1",
                .meaning = "of the format",
                .required = true,
                .is_always_written = true},
               kVersionCodec),
    with_member({.key = "about",
                 .allowed = text(),
                 .meaning = "what this is about, where it comes from",
                 .otherwise = "empty"},
                &Scenario::about),
    with_member(
        {.key = "system",
         .allowed = name(),
         .meaning = "a registered system: canal, single_counter ... (lockkeeper list systems)",
         .required = true,
         .is_always_written = true},
        &Scenario::system),
    with_member({.key = "variant",
                 .allowed = name(),
                 .meaning = "of the system",
                 .is_always_written = true},
                &Scenario::variant),
    with_codec({.key = "parameters",
                .values = "an object: its fields are below, other names are numbers of the "
                          "[system](words_of_systems.md)",
                .meaning = "of the system",
                .otherwise = "the system's",
                .is_always_written = true,
                .is_object = true},
               kParametersCodec),
    with_codec({.key = "keys",
                .values = "at most 4 names",
                .meaning = "order of the keys, where it matters: a schedule names them by number",
                .otherwise = "order of first use",
                .is_always_written = true},
               kKeysCodec),
    with_codec({.key = "callers",
                .values = "1 to 128 [entries](scripts.md#callers)",
                .meaning = "who calls what; at most 128 callers in all",
                .required = true,
                .is_always_written = true},
               kCallersCodec),
    with_codec({.key = "view",
                .values = "whole, 0 to 99",
                .meaning = "buckets that \"current\" means before the first resize; needed with "
                           "resizes and with \"current\"",
                .otherwise = "1",
                .is_always_written = true},
               kViewCodec),
    with_codec(
        {.key = "resizes",
         .values = "at most 63 numbers, 0 to 99",
         .meaning = "buckets that \"current\" means after the first, second ... resize; when "
                    "they happen is chosen like everything else",
         .otherwise = "none"},
        kResizesCodec),
    with_codec({.key = "faults",
                .values = "an object: `crashes`, and budgets for faults of the "
                          "[system](words_of_systems.md)",
                .meaning = "how often each fault may happen in one run",
                .otherwise = "no faults",
                .is_always_written = true,
                .is_object = true},
               kFaultsCodec),
    with_member({.key = "check",
                 .allowed = names(kNamesMax, true),
                 .meaning = "properties to be judged, or a group of them: all, safety",
                 .otherwise = "all",
                 .is_always_written = true},
                &Scenario::check),
    with_member({.key = "reach",
                 .allowed = names(kNamesMax),
                 .meaning = "goals, each of which some step has to reach",
                 .otherwise = "none"},
                &Scenario::reach),
    with_codec({.key = "method",
                .values = "`\"explore\"`, `\"fuzz\"`, `\"order\"`, `\"replay\"`",
                .meaning = "every interleaving, many random ones, whole operations in the given "
                           "order, or the given schedule",
                .otherwise = "order or replay when there is an order or a schedule, else explore",
                .is_always_written = true},
               kMethodCodec),
    with_codec({.key = "find",
                .values = "`{\"smallest\": name, \"from\": a, \"to\": b}`, or `largest`: see "
                          "[find a number](../howto/find_a_number.md)",
                .meaning = "explore: the smallest or largest value of a parameter of the system "
                           "with which nothing is violated",
                .otherwise = "one exploration",
                .goes_with = kExploring},
               kFindCodec),
    with_member({.key = "symmetry",
                 .allowed = truth(),
                 .meaning = "explore: states that differ by exchanging callers of one entry "
                            "are one"},
                &Scenario::symmetry),
    with_member(
        {.key = "reduction",
         .allowed = one_of(kAskedReductionWords),
         .meaning = "explore: auto takes what is sound, beyond 300,000 states; none switches all "
                    "off, symmetry and sleep sets too; private-steps takes steps that concern "
                    "nobody else at once; faults-left goes on only where most faults are left; "
                    "relative-time tells instants apart only as far as anybody can "
                    "(docs/understanding/reductions.md)"},
        &Scenario::reduction),
    with_member({.key = "stop",
                 .allowed = one_of("first", "never", 0),
                 .meaning = "explore: end at the first violation or go on"},
                &Scenario::stop_at_first),
    with_member({.key = "strategy",
                 .allowed = name(),
                 .meaning = "fuzz: who chooses (lockkeeper list strategies)",
                 .otherwise = "feedback"},
                &Scenario::strategy),
    with_member({.key = "seed",
                 .allowed = whole(0, kSeedMax),
                 .meaning = "fuzz: of the random choices",
                 .is_always_written = true},
                &Scenario::seed),
    with_codec(
        {.key = "order",
         .values = "callers, each a name or `{\"caller\": name, \"times\": n}`; at most 200000 "
                   "turns, and no caller has more turns than operations",
         .meaning = "order: whose next whole operation runs, to its return and until the "
                    "manager is idle again",
         .required = true,
         .goes_with = kInOrder},
        kOrderCodec),
    with_codec({.key = "schedule",
                .values = "`\"lk1:...\"`",
                .meaning = "replay: the line that a run printed",
                .required = true,
                .goes_with = kReplaying},
               kScheduleCodec),
    with_codec({.key = "law",
                .values = "see [laws](../understanding/laws.md)",
                .meaning = "measure: how probable each action is; uniform: all that is possible is "
                           "equally probable",
                .otherwise = "as traffic says, else uniform"},
               kLawCodec),
    with_codec({.key = "traffic",
                .values = "an object, see [laws](../understanding/laws.md)",
                .meaning = "measure: the load that forecasts are made for; without a law it says "
                           "the law, too",
                .otherwise = "no forecast",
                .is_object = true},
               kTrafficCodec),
    with_member({.key = "reentrant",
                 .allowed = truth(),
                 .meaning = "`validate` of programs and clients: whether a lock with one place "
                            "grants it to its holder again",
                 .otherwise = "not said: what such a grant breaks is not judged"},
                &Scenario::reentrant),
    with_codec(
        {.key = "rate_limit",
         .values = "an object",
         .meaning = "`validate` of programs and clients: what a [rate "
                    "limiter](../decisions/methods/rate_limits.md) promises; scripts only acquire",
         .otherwise = "a lock",
         .is_object = true,
         .goes_with = kOutside},
        kRateLimitCodec),
    with_codec({.key = "server",
                .values = "an object",
                .meaning = "`validate --wire tcp`: [the server](wire_tcp.md#the-server)",
                .otherwise = "as the command says",
                .is_object = true},
               kServerCodec),
    with_codec({.key = "limits",
                .values = "an object",
                .meaning = "where the search ends without a verdict",
                .otherwise = "as the command says",
                .is_object = true},
               kLimitsCodec),
    with_codec({.key = "expect",
                .values = "an object, see [results](scripts.md#results)",
                .meaning = "what the run is compared with",
                .otherwise = "it passes",
                .is_always_written = true,
                .is_object = true},
               kExpectCodec),
    with_codec({.key = "cases",
                .values = "1 to 64, see [cases](scripts.md#cases)",
                .meaning = "cases of one idea: FILE#NAME is the file with the keys of that case "
                           "laid over it; of parameters, faults and limits a case replaces "
                           "members, of every other key the whole",
                .otherwise = "the file is one scenario"},
               kCasesCodec),
};

}  // namespace

std::vector<Field> table_of_top_level() { return kTopLevelTable; }

}  // namespace lockkeeper

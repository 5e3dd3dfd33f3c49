#include "scenarios/fields.hpp"

#include <limits>

#include "model/crash_takes.hpp"
#include "scenarios/field_row.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kSeedMax = std::numeric_limits<std::uint64_t>::max();

Field own_code(std::string_view object, std::string_view key) {
    return {.object = object, .key = key};
}

// Of each object in the order in which its fields are written.
const std::vector<Field> kFields{
    own_code("", "$schema"),
    own_code("", "version"),
    own_code("", "about"),
    own_code("", "system"),
    own_code("", "variant"),
    own_code("", "parameters"),
    own_code("", "keys"),
    own_code("", "callers"),
    own_code("", "view"),
    own_code("", "resizes"),
    own_code("", "faults"),
    own_code("", "check"),
    own_code("", "reach"),
    own_code("", "method"),
    own_code("", "find"),
    with_member(
        {.object = "",
         .key = "symmetry",
         .allowed = truth(),
         .meaning = "explore: states that differ by exchanging callers of one entry "
                    "are one"},
        [](auto& scenario) -> auto& { return scenario.symmetry; }),
    with_member(
        {.object = "",
         .key = "reduction",
         .allowed = one_of("none", "private-steps", 1),
         .meaning = "explore: private-steps takes steps that concern nobody else at "
                    "once (docs/understanding/reductions.md)"},
        [](auto& scenario) -> auto& { return scenario.reduces; }),
    with_member(
        {.object = "",
         .key = "stop",
         .allowed = one_of("first", "never", 0),
         .meaning = "explore: end at the first violation or go on"},
        [](auto& scenario) -> auto& { return scenario.stop_at_first; }),
    with_member(
        {.object = "",
         .key = "strategy",
         .allowed = name(),
         .meaning = "fuzz: who chooses (lockkeeper list strategies)",
         .otherwise = "several take turns"},
        [](auto& scenario) -> auto& { return scenario.strategy; }),
    with_member(
        {.object = "",
         .key = "seed",
         .allowed = whole(0, kSeedMax),
         .meaning = "fuzz: of the random choices",
         .is_always_written = true},
        [](auto& scenario) -> auto& { return scenario.seed; }),
    own_code("", "order"),
    own_code("", "schedule"),
    own_code("", "law"),
    own_code("", "traffic"),
    own_code("", "limits"),
    own_code("", "expect"),
    own_code("", "cases"),

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
    own_code("parameters", "table"),
    own_code("parameters", "repairs"),
    own_code("parameters", "relations"),
    own_code("parameters", kCrashTakesName),

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

    own_code("expect", "verdict"),
    own_code("expect", "properties"),
    with_member(
        {.object = "expect",
         .key = "steps",
         .allowed = whole(0, kLimitMax),
         .meaning = "of the first violation; explore finds a shortest one",
         .otherwise = "not compared"},
        [](auto& scenario) -> auto& { return scenario.expect.steps; }),
    with_member(
        {.object = "expect",
         .key = "complete",
         .allowed = truth(),
         .meaning = "whether everything in scope was looked at",
         .otherwise = "not compared"},
        [](auto& scenario) -> auto& { return scenario.expect.complete; }),
    own_code("expect", "value"),
    with_member(
        {.object = "expect",
         .key = "states",
         .allowed = whole(0, kLimitMax),
         .meaning = "explore: different states",
         .otherwise = "not compared",
         .only = Method::kExplore},
        [](auto& scenario) -> auto& { return scenario.expect.states; }),
    with_member(
        {.object = "expect",
         .key = "transitions",
         .allowed = whole(0, kLimitMax),
         .meaning = "explore: steps between states",
         .otherwise = "not compared",
         .only = Method::kExplore},
        [](auto& scenario) -> auto& { return scenario.expect.transitions; }),
    with_member(
        {.object = "expect",
         .key = "terminal_states",
         .allowed = whole(0, kLimitMax),
         .meaning = "explore: states in which nothing can happen any more",
         .otherwise = "not compared",
         .only = Method::kExplore},
        [](auto& scenario) -> auto& { return scenario.expect.terminal_states; }),
    own_code("expect", "interleavings"),
    own_code("expect", "max_rate"),
    own_code("expect", "counters"),
    own_code("expect", "results"),
};

}  // namespace

std::span<const Field> all_fields() { return kFields; }

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "scenarios/field_row.hpp"
#include "scenarios/keys/codecs.hpp"

namespace lockkeeper {
namespace {

constexpr Condition kManyRuns{
    [](const Scenario& scenario) { return !kOneRun.holds(scenario) && !scenario.find; },
    "\"method\": \"explore\" or \"fuzz\" only, without \"find\""};
constexpr Condition kFinding{[](const Scenario& scenario) { return scenario.find.has_value(); },
                             "\"find\" only"};
constexpr Condition kViolated{
    [](const Scenario& scenario) { return is<Violated>(scenario.expect.verdict); },
    "\"verdict\": \"violated\" only"};

template <class Member>
Field pinned(std::string_view key, Allowed allowed, std::string_view meaning, Condition goes_with,
             Member Expectation::*member) {
    return with_member(
        {.object = "expect",
         .key = key,
         .allowed = std::move(allowed),
         .meaning = meaning,
         .otherwise = "not compared",
         .goes_with = goes_with},
        [=](auto& scenario) -> auto& { return scenario.expect.*member; });
}

const std::vector<Field> kExpectTable{
    with_codec({.object = "expect",
                .key = "verdict",
                .values = "`\"passed\"`, `\"violated\"`, `\"stuck\"`, `\"inconclusive\"`",
                .meaning = "what the run comes to",
                .otherwise = "passed",
                .is_always_written = true},
               kVerdictCodec),
    pinned("properties", names(kNamesMax), "with violated: exactly these, in any order", kViolated,
           &Expectation::properties),
    pinned("steps", whole(0, kLimitMax), "of the first violation; explore finds a shortest one",
           Condition(), &Expectation::steps),
    pinned("complete", truth(), "whether everything in scope was looked at", Condition(),
           &Expectation::complete),
    pinned("states", whole(0, kLimitMax), "explore: different states", kExploring,
           &Expectation::states),
    pinned("transitions", whole(0, kLimitMax), "explore: steps between states", kExploring,
           &Expectation::transitions),
    pinned("terminal_states", whole(0, kLimitMax),
           "explore: states in which nothing can happen any more", kExploring,
           &Expectation::terminal_states),
    with_codec({.object = "expect",
                .key = "value",
                .values = "whole",
                .meaning = "with find: what is found",
                .otherwise = "not compared",
                .goes_with = kFinding},
               kValueCodec),
    with_codec({.object = "expect",
                .key = "interleavings",
                .values = "digits in quotes, because the number is large",
                .meaning = "explore: different complete runs, exactly",
                .otherwise = "not compared",
                .goes_with = kExploring},
               kInterleavingsCodec),
    with_codec({.object = "expect",
                .key = "max_rate",
                .values = "by property, 0 to 1",
                .meaning = "explore, fuzz: its probability per run under the law is at most this",
                .otherwise = "not compared",
                .goes_with = kManyRuns},
               kMaxRateCodec),
    with_codec({.object = "expect",
                .key = "counters",
                .values = "by key, a list from bucket 1 on",
                .meaning = "order, replay: counters at the end",
                .otherwise = "not compared",
                .goes_with = kOneRun},
               kCountersCodec),
    with_codec({.object = "expect",
                .key = "results",
                .values = "by caller, one for each of its operations that ran",
                .meaning = "order, replay: what they returned: a count, acquired, full, ok (a "
                           "release), died (an exit, or a call that killed the caller), or an "
                           "error's name",
                .otherwise = "not compared",
                .goes_with = kOneRun},
               kResultsCodec),
};

}  // namespace

std::vector<Field> table_of_expect() { return kExpectTable; }

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Changing a scenario by name: what --set, --find-smallest, --find-largest, and --sweep and
// --compare of `measure` do. Names:
//
//   callers, callers:NAME   how many, of the only or of that entry of `callers` (1 to 128)
//   max_per, buckets        of every acquire and release; a warm table has as many buckets, the
//                           manager the same max_per when it had the scripts' largest before
//   manager_max_per, max_decr_tries, crashes, resizes (the first so many of the scenario's)
//   NAME                    a number of the system, NAME:KEY of one key of it
//   settings:NAME:CALLER    what the system asks of that entry of `callers`
//   faults:NAME             the budget of a fault of the system
//   law:CLASS               a weight or a rate per second (any number); needs a law that is not
//                           uniform
//
// Errors: UsageError that says what asked for it (`by`: "--sweep") and names the nearest known
// name, or the value's bounds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

namespace proofs {
class ReplicatedWorld;
}  // namespace proofs

void vary(const Registry& registry, const std::string& name, double value, Scenario& scenario,
          Law& law, const std::string& by = "--sweep");

// The same where there is no law: what --set and the search for a boundary do.
void set_number(const Registry& registry, const std::string& name, std::int32_t value,
                Scenario& scenario, const std::string& by);

// All buckets there are, and nothing in them.
[[nodiscard]] bool is_warm(const ScenarioTable& table);
[[nodiscard]] ScenarioTable warm_table(std::uint16_t buckets);

// "VARIANT" or "SYSTEM/VARIANT". Checks that do not apply to what the other system shows are left
// out. UsageError (--compare) for what does not exist.
void take_variant(const Registry& registry, const std::string& name, Scenario& scenario);

// The system that `flag` calls "canal/repaired". UsageError, with the nearest.
[[nodiscard]] const RegisteredSystem& system_named(const Registry& registry, std::string_view flag,
                                                   const std::string& name);

// A scenario with other numbers of callers: what "any number of each" is made of
// (scheduler/search/proofs).

// To be explored: so many callers of each kind, scripts that go on for ever, as many crashes as
// callers where there is any. As a file of it would be read.
[[nodiscard]] std::variant<Scenario, InputError> replicated(
    const Scenario& scenario, const std::vector<const Property*>& check,
    const std::vector<std::size_t>& counts);

// The World of any number of callers, taken apart: of the system, or of what is proved in its place
// (RegisteredSystem::make_by_record). InputError: it fits no compiled size, or not that. Throws
// proofs::DoesNotFit.
[[nodiscard]] std::variant<proofs::ReplicatedWorld, InputError> take_apart(
    const Registry& registry, const Scenario& scenario, const std::vector<const Property*>& check);

// A scenario without what was asked of it in another scope: for whoever writes it anew, smaller or
// with other callers.

[[nodiscard]] inline Scenario only_to_explore(Scenario scenario, std::vector<std::string> check) {
    scenario.about.clear();
    scenario.check = std::move(check);
    scenario.reach.clear();
    scenario.method = Method::kExplore;
    scenario.find.reset();
    scenario.order.clear();
    scenario.schedule.reset();
    scenario.limits = {};
    scenario.expect = {};
    return scenario;
}

}  // namespace lockkeeper

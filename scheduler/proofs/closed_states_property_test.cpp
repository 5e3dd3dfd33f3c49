// SPDX-License-Identifier: Apache-2.0

// A set of states is accepted where the explorer passes, and nowhere else: on random scopes of the
// canal lock and on random graphs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/proofs/closed_states_test.hpp"
#include "scheduler/random_scopes_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using namespace testing_scheduler;

constexpr std::uint64_t kSmallScope = kIsSlowBuild ? 500 : 2'500;

// The states are accepted for a property exactly where the explorer passes it.
void agree_on(const Runner& runner, const Property* property) {
    const Certified made = certified(runner, {property});
    RC_ASSERT(made.result.complete || !is<Passed>(made.result.verdict));
    const std::string why = why_refused(made.closed, runner, {property});
    RC_LOG() << property->name << ": " << why;
    RC_ASSERT(is<Passed>(made.result.verdict) == why.empty());
}

void one_less_is_refused(const Runner& runner, const std::vector<const Property*>& check) {
    proofs::ClosedStates closed = certified(runner, check).closed;
    RC_PRE(!closed.states.empty());
    const auto which = *rc::gen::inRange<std::size_t>(0, closed.states.size());
    closed.states.erase(closed.states.begin() + static_cast<std::ptrdiff_t>(which));
    RC_ASSERT(!why_refused(closed, runner, check).empty());
}

RC_GTEST_PROP(ClosedStates, AreAcceptedWhereTheExplorerPassesOnEveryScopeOfTheCanalLock, ()) {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    const CanalScope scope = small_enough(random_scope({3, 3, cyclic, true}), kSmallScope);
    RC_LOG() << to_text(scope);
    const auto system = runner(scope);
    const auto check = seen_in_states(properties_for(scope.world));
    for (const Property* property : check) {
        agree_on(*system, property);
    }
    one_less_is_refused(*system, check);
}

RC_GTEST_PROP(ClosedStates, AreAcceptedWhereTheExplorerPassesOnEveryGraph, ()) {
    GraphSystem graph = random_graph(12, false);
    for (GraphNode& node : graph.nodes) {  // or almost every graph has an end
        node.finished = *rc::gen::inRange(0, 8) > 0;
        node.time_is_over = *rc::gen::inRange(0, 8) == 0;
    }
    const auto system = runner(graph);
    const auto check = seen_in_states(properties_for({}));
    for (const Property* property : check) {
        agree_on(*system, property);
    }
    one_less_is_refused(*system, check);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs

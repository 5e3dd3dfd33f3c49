// SPDX-License-Identifier: Apache-2.0

// Each reduction against the unreduced explorer, on random scopes: the same verdict, violations,
// goals, ends and observations at rest. And private steps one by one: what others do before or
// after them is the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"
#include "scheduler/search/explorer.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

constexpr std::uint64_t kReducedStatesMax = kIsSlowBuild ? 1'000 : 20'000;
// The scopes for each of a hundred cases: enough to meet a manager's `unlock` that is wrongly
// called private (one scope in some hundreds).
int scopes_of_test() { return kIsSlowBuild ? 1 : testing_model::is_short_run() ? 3 : 20; }

CanalScope scope_with_signals() {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    return small_enough(random_scope({4, 4, cyclic, false, true}), kReducedStatesMax);
}

ExploreOptions asking(const CanalScope& scope, Reduction reduction, bool symmetry) {
    ExploreOptions options;
    options.check = properties_for(scope.world);
    options.reach = goals();
    options.reduction = reduction;
    options.symmetry = symmetry;
    return options;
}

bool offers(const SignalWorld& world, const SignalWorld::State& state, Action action) {
    ActionList actions;
    world.enabled(state, actions);
    return std::find(actions.begin(), actions.end(), action) != actions.end();
}

bool same_bytes(const SignalWorld::State& left, const SignalWorld::State& right) {
    return std::memcmp(&left, &right, sizeof(left)) == 0;
}

// Takes steps that nobody chooses: the manager finishes what it has begun, and hears nobody before.
void finish_what_has_begun(const SignalWorld& world, SignalWorld::State& state) {
    const auto gives_back = [](Action action) {
        return action.kind == ActionKind::kBackground &&
               (action.argument == canal::kContinue || action.argument == canal::kReapEntry);
    };
    ActionList actions;
    world.enabled(state, actions);
    for (auto next = std::find_if(actions.begin(), actions.end(), gives_back);
         next != actions.end(); next = std::find_if(actions.begin(), actions.end(), gives_back)) {
        world.apply(state, *next);
        world.enabled(state, actions);
    }
}

// `own` is private in `state`, `other` is enabled there, too, and is not the same.
void expect_independent(const SignalWorld& world, const SignalWorld::State& state, Action own,
                        Action other, std::uint32_t visible) {
    SignalWorld::State own_first = state;
    RC_ASSERT((world.apply(own_first, own).what & visible) == 0U);
    RC_ASSERT(offers(world, own_first, other));  // the private step prevents nothing
    const Event later = world.apply(own_first, other);
    SignalWorld::State other_first = state;
    const Event earlier = world.apply(other_first, other);
    RC_ASSERT(earlier.what == later.what);
    if (!offers(world, other_first, own)) {  // the manager does not listen
        finish_what_has_begun(world, own_first);
        finish_what_has_begun(world, other_first);
    }
    if (offers(world, other_first, own)) {
        world.apply(other_first, own);
    }  // otherwise the other step has made it pointless: the same state without it
    RC_ASSERT(same_bytes(own_first, other_first));
}

// All private steps of all states of a scope; how many pairs were compared.
std::size_t expect_all_independent(const CanalScope& scope) {
    const SignalWorld world = with_signals(scope);
    const std::uint32_t visible = Judge(properties_for(scope.world)).observed_events();
    NaiveSearch naive(world, {}, {});
    naive.visit_all();
    std::size_t pairs = 0;
    naive.for_each([&](const SignalWorld::State& state) {
        ActionList all;
        world.enabled(state, all);
        for (std::size_t caller = 0; caller < world.slots_count(); ++caller) {
            ActionList own;
            world.enabled_of(state, caller, own);
            for (const Action action : own) {
                if (!world.is_private(state, action, visible)) {
                    continue;
                }
                for (const Action other : all) {
                    if (!(other == action)) {
                        expect_independent(world, state, action, other, visible);
                        ++pairs;
                    }
                }
            }
        }
    });
    return pairs;
}

RC_GTEST_PROP(PrivateSteps, CommuteWithEverythingThatOthersDo, ()) {
    std::size_t pairs = 0;
    for (int i = 0; i < scopes_of_test(); ++i) {
        const CanalScope scope = scope_with_signals();
        RC_LOG() << to_text(scope) << "\n";
        pairs += expect_all_independent(scope);
    }
    RC_CLASSIFY(pairs > 0, "has private steps");
}

RC_GTEST_PROP(PrivateSteps, ChangeNoVerdict, ()) {
    const CanalScope scope = scope_with_signals();
    RC_LOG() << to_text(scope);
    const auto system = runner(scope);
    const bool symmetry = *rc::gen::arbitrary<bool>();
    const ExploreResult full = system->explore(asking(scope, Reduction::kNone, false));
    const ExploreResult reduced =
        system->explore(asking(scope, Reduction::kPrivateSteps, symmetry));
    RC_ASSERT(full.complete && reduced.complete && reduced.reduction == Reduction::kPrivateSteps);
    RC_ASSERT(reduced.states <= full.states);
    RC_ASSERT(names(reduced.violations) == names(full.violations));
    RC_ASSERT(names(reduced.reached) == names(full.reached));
    RC_ASSERT(reduced.verdict.index() == full.verdict.index());
    for (const FoundViolation& violation : reduced.violations) {
        ReplayOptions options;
        options.check = {violation.property};
        const Trace trace = system->replay(violation.schedule, options);
        RC_ASSERT(trace.divergences.empty());
        RC_ASSERT(trace.violated == options.check);
    }
    RC_CLASSIFY(reduced.states < full.states, "smaller");
    RC_CLASSIFY(!full.violations.empty(), "violated");
}

// The values that a state shows at rest, apart from how far the scripts are: a caller who may
// signal at any time is not seen before he did.
using Shown = std::vector<std::int64_t>;
Shown shown_at_rest(const SignalWorld& world, const SignalWorld::State& state) {
    Observation seen{};
    world.observe(state, seen);
    Shown shown{seen.servers_gone};
    for (std::size_t i = 0; i < seen.callers_count; ++i) {
        shown.push_back(seen.callers[i].believed[0]);
        shown.push_back(seen.callers[i].dead);
    }
    const KeyObservation& key = seen.keys[0];
    shown.push_back(state.shared.rows[0].highest);
    shown.push_back(key.releasable);
    shown.insert(shown.end(), key.counters.begin(), key.counters.end());
    return shown;
}

struct Met {
    std::set<Shown> at_rest;
    std::set<std::string> ends;  // bytes of states
};

Met everything_met(const SignalWorld& world, const ExploreOptions& options) {
    Explorer explorer(world, options);
    explorer.run();
    RC_ASSERT(explorer.limit().empty());
    Met met;
    for (std::size_t number = 0; number < explorer.reached().size(); ++number) {
        const SignalWorld::State state = explorer.reached().state_at(number);
        if (world.quiescent(state)) {
            met.at_rest.insert(shown_at_rest(world, state));
        }
        ActionList actions;
        world.enabled(state, actions);
        if (actions.size() == 0) {
            met.ends.emplace(reinterpret_cast<const char*>(&state), sizeof(state));
        }
    }
    return met;
}

RC_GTEST_PROP(PrivateSteps, ChangeNothingThatIsSeenAtRestOrInTheEnd, ()) {
    const CanalScope scope = scope_with_signals();
    RC_LOG() << to_text(scope);
    const SignalWorld world = with_signals(scope);
    const Met full = everything_met(world, asking(scope, Reduction::kNone, false));
    const Met reduced = everything_met(world, asking(scope, Reduction::kPrivateSteps, false));
    RC_ASSERT(reduced.at_rest == full.at_rest);
    RC_ASSERT(reduced.ends == full.ends);
}

}  // namespace
}  // namespace lockkeeper

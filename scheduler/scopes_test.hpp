// SPDX-License-Identifier: Apache-2.0

// Scopes and toy Systems that the tests of this folder share. Nothing else includes it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "impl/canal/canal_lock.hpp"
#include "impl/single_counter/single_counter.hpp"
#include "model/slow_build_test.hpp"
#include "model/world.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/erased_runner.hpp"

namespace lockkeeper::testing_scheduler {

using testing_model::kIsSlowBuild;

template <class Size>
using CanalWorld = World<canal::CanalLock<Size>>;
using TinyWorld = CanalWorld<canal::TinySize>;
// The same with two signals.
using SignalSize = canal::CanalSize<canal::kShared, 4, 1, 3, std::int8_t, std::uint8_t,
                                    std::uint8_t, 1, 1, canal::SmallReferences, 2>;
using SignalWorld = CanalWorld<SignalSize>;
using CounterLock = single_counter::SingleCounter<WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>>;
using CounterWorld = World<CounterLock>;

// A canal lock and its surroundings.
struct CanalScope {
    canal::CanalOptions options;
    WorldConfig world;
};

[[nodiscard]] Operation acquire(std::uint16_t max_per, std::uint16_t buckets);
[[nodiscard]] Operation release(std::uint16_t max_per, std::uint16_t buckets);
// Begun again until it succeeds.
[[nodiscard]] Operation insist(std::uint16_t max_per, std::uint16_t buckets);
// Whether anything is held or not.
[[nodiscard]] Operation release_unchecked(std::uint16_t max_per, std::uint16_t buckets);

// Named A, B, ...; callers with equal scripts side by side are interchangeable.
[[nodiscard]] WorldConfig world_of(const std::vector<std::vector<Operation>>& scripts);

// Each caller acquires and releases once; what it sees stands in `buckets`.
[[nodiscard]] CanalScope once_each(const std::vector<std::uint16_t>& buckets, std::uint16_t max_per,
                                   std::optional<std::uint8_t> max_decr_tries);
[[nodiscard]] CanalScope warm(CanalScope scope, std::size_t buckets);
[[nodiscard]] CanalScope counters_only(CanalScope scope);
[[nodiscard]] CanalScope with_crashes(CanalScope scope, std::uint8_t crashes_max);

// A leak in few steps: a caller crashes between taking its unit and telling the manager.
[[nodiscard]] CanalScope leaking();
// Over-allocation that needs three callers in one order, which every strategy can choose: A takes
// the only unit, B gives back what it does not hold, C is granted.
[[nodiscard]] CanalScope misused();

[[nodiscard]] TinyWorld tiny(const CanalScope& scope);
[[nodiscard]] SignalWorld with_signals(const CanalScope& scope);
[[nodiscard]] std::unique_ptr<Runner> runner(const CanalScope& scope);
[[nodiscard]] std::unique_ptr<Runner> small_runner(const CanalScope& scope);   // 5 to 8 callers
[[nodiscard]] std::unique_ptr<Runner> signal_runner(const CanalScope& scope);  // with signals
[[nodiscard]] std::unique_ptr<Runner> runner(const single_counter::Options& options,
                                             const WorldConfig& world);

// Makes a runner of any System by the searches that the library has compiled: a test that is not
// about the templates themselves needs no instantiation of its own.
template <System S>
[[nodiscard]] std::unique_ptr<Runner> runner_of(const S& system, const WorldConfig& world = {},
                                                std::uint32_t features = 0) {
    return make_erased_runner(ErasedSystem(system), MakeWalker(), world, features);
}

// Every property that the canal lock can be judged by (with `watches_others`: those monitors too).
[[nodiscard]] std::vector<const Property*> properties_for(const WorldConfig& world);
[[nodiscard]] std::vector<const Property*> goals();
// All that may be asked of the scope.
[[nodiscard]] ExploreOptions asking_all(const CanalScope& scope);
[[nodiscard]] std::set<std::string> names(const std::vector<FoundViolation>& violations);
[[nodiscard]] std::set<std::string> names(const std::vector<const Property*>& properties);

// A System drawn as a graph: what each node shows and where its edges lead. Node 0 is the first.
struct GraphEdge {
    Action action;
    std::uint32_t target = 0;
    std::uint32_t what = 0;      // EventBits
    std::uint32_t capacity = 0;  // that is asked for; 0: the system's
};
struct GraphNode {
    std::vector<GraphEdge> edges;
    std::uint32_t calling = 0;  // bit i: caller i is inside an operation
    std::uint32_t believed = 0;
    std::uint32_t counted = 0;
    bool finished = false;
    bool time_is_over = false;
    bool quiescent = false;
};

struct GraphSystem {
    struct State {
        std::uint32_t node;
    };

    std::vector<GraphNode> nodes;
    std::uint8_t callers_count = 2;
    std::uint32_t capacity = 1;

    [[nodiscard]] const GraphNode& at(const State& state) const { return nodes[state.node]; }
    [[nodiscard]] State initial() const { return {0}; }
    void enabled(const State& state, ActionList& out) const;
    Event apply(State& state, Action action) const;
    void observe(const State& state, Observation& out) const;
    [[nodiscard]] bool quiescent(const State& state) const { return at(state).quiescent; }
    [[nodiscard]] bool finished(const State& state) const { return at(state).finished; }
    [[nodiscard]] bool time_is_over(const State& state) const { return at(state).time_is_over; }
    [[nodiscard]] std::string describe(const State&, Action action) const {
        return to_text(action);
    }
    [[nodiscard]] std::string show(const State& state) const { return std::to_string(state.node); }
};

[[nodiscard]] std::unique_ptr<Runner> runner(const GraphSystem& system);
// A long chain with branches that end, every record a whole word of its own. Whoever goes to a
// multiple of `fatal` dies.
[[nodiscard]] GraphSystem branching_chain(std::size_t nodes, std::uint32_t fatal);

[[nodiscard]] inline Action step_of(std::uint8_t caller) { return {caller, ActionKind::kStep, 0}; }

}  // namespace lockkeeper::testing_scheduler

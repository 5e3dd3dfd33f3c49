// States and transitions per second, bytes a stored state, steps per second. One core.
// `make bench` runs it beside SPIN on the same scope (bench/compare/spin), and docs/PERFORMANCE.md
// has figures with the machine they were measured on.
#include <benchmark/benchmark.h>

#include "bench/scopes.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/explorer.hpp"
#include "scheduler/simulator.hpp"

namespace lockkeeper::bench {
namespace {

using canal::SmallSize;
using canal::TinySize;

const Scope kManagerFour{{1, 1, 2, 2}, 2};
const Scope kManagerFive{{1, 1, 2, 2, 2}, 1};
const Scope kCountersSix{{1, 1, 1, 2, 2, 2}, 2, 2, false, false};

template <class Size, template <class> class Store>
void explore(benchmark::State& state, const Scope& scope, bool symmetry, bool checks) {
    const auto world = make_world<Size>(scope);
    ExploreOptions options;
    options.symmetry = symmetry;
    if (checks) {
        for (const Property& property : all_properties()) {
            if (property.monitor == Monitor::kNone) {
                options.check.push_back(&property);
            }
        }
    }
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    double bytes = 0;
    for ([[maybe_unused]] auto iteration : state) {
        Explorer<CanalWorld<Size>, Store> explorer(world, options);
        explorer.run();
        states += explorer.store().size();
        transitions += explorer.transitions();
        bytes = static_cast<double>(explorer.store().bytes()) /
                static_cast<double>(explorer.store().size());
    }
    using benchmark::Counter;
    state.counters["states/s"] = Counter(static_cast<double>(states), Counter::kIsRate);
    state.counters["transitions/s"] = Counter(static_cast<double>(transitions), Counter::kIsRate);
    state.counters["states"] =
        static_cast<double>(states) / static_cast<double>(state.iterations());
    state.counters["bytes/state"] = bytes;
}

void simulate(benchmark::State& state, const Scope& scope, bool checks) {
    const auto world = make_world<TinySize>(scope);
    std::vector<const Property*> properties;
    if (checks) {
        for (const Property& property : all_properties()) {
            if (property.monitor == Monitor::kNone) {
                properties.push_back(&property);
            }
        }
    }
    Simulator<CanalWorld<TinySize>> simulator(world, Judge(properties), Judge());
    std::uint64_t steps = 0;
    std::uint64_t seed = 1;
    RandomStrategy random;
    for ([[maybe_unused]] auto iteration : state) {
        random.begin(seed++);
        steps += simulator.run(random, 100'000).actions.size();
    }
    using benchmark::Counter;
    state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
    state.counters["runs/s"] = Counter(static_cast<double>(state.iterations()), Counter::kIsRate);
}

void explore_manager_4(benchmark::State& state) {
    explore<TinySize, ExactStore>(state, kManagerFour, false, false);
}
void explore_manager_4_checked(benchmark::State& state) {
    explore<TinySize, ExactStore>(state, kManagerFour, false, true);
}
void explore_manager_4_symmetry(benchmark::State& state) {
    explore<TinySize, ExactStore>(state, kManagerFour, true, false);
}
void explore_manager_4_fingerprints(benchmark::State& state) {
    explore<TinySize, FingerprintStore>(state, kManagerFour, false, false);
}
void explore_counters_6(benchmark::State& state) {
    explore<SmallSize, ExactStore>(state, kCountersSix, false, false);
}
void explore_manager_5_symmetry(benchmark::State& state) {
    explore<SmallSize, ExactStore>(state, kManagerFive, true, false);
}
void simulate_random(benchmark::State& state) { simulate(state, kManagerFour, false); }
void simulate_random_checked(benchmark::State& state) { simulate(state, kManagerFour, true); }
void simulate_random_counters(benchmark::State& state) {
    simulate(state, {{1, 1, 2, 2}, 2, 2, false, false}, false);
}

BENCHMARK(explore_manager_4)->Unit(benchmark::kMillisecond);
BENCHMARK(explore_manager_4_checked)->Unit(benchmark::kMillisecond);
BENCHMARK(explore_manager_4_symmetry)->Unit(benchmark::kMillisecond);
BENCHMARK(explore_manager_4_fingerprints)->Unit(benchmark::kMillisecond);
BENCHMARK(explore_counters_6)->Unit(benchmark::kMillisecond);
BENCHMARK(explore_manager_5_symmetry)->Unit(benchmark::kMillisecond);
BENCHMARK(simulate_random);
BENCHMARK(simulate_random_checked);
BENCHMARK(simulate_random_counters);

}  // namespace
}  // namespace lockkeeper::bench

BENCHMARK_MAIN();

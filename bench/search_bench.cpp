// SPDX-License-Identifier: Apache-2.0

// States and transitions per second, bytes a stored state, steps per second. One core.
// `make bench` runs it beside SPIN on the same scope (bench/compare/spin), and
// docs/understanding/speed.md has figures with the machine they were measured on.
#include <benchmark/benchmark.h>

#include "bench/scopes.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/runs/learned_simulator.hpp"
#include "scheduler/search/explorer.hpp"

namespace lockkeeper::bench {
namespace {

using canal::SmallSize;
using canal::TinySize;

const Scope kManagerFour{{1, 1, 2, 2}, 2};
const Scope kManagerFive{{1, 1, 2, 2, 2}, 1};
const Scope kCountersSix{{1, 1, 1, 2, 2, 2}, 2, 2, false, false};
const Scope kCountersSeven{{1, 1, 1, 2, 2, 2, 2}, 2, 2, false, false};

std::vector<const Property*> properties_without_monitors() {
    std::vector<const Property*> properties;
    for (const Property& property : all_properties()) {
        if (property.monitor == Monitor::kNone) {
            properties.push_back(&property);
        }
    }
    return properties;
}

ExploreOptions unreduced() {
    ExploreOptions options;
    options.symmetry = false;
    return options;
}

// Time is that of the wall: with several workers the time of one thread says nothing.
template <class Size>
void explore(benchmark::State& state, const Scope& scope, const ExploreOptions& options) {
    const auto world = make_world<Size>(scope);
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    double bytes = 0;
    for ([[maybe_unused]] auto iteration : state) {
        Explorer<CanalWorld<Size>> explorer(world, options);
        explorer.run();
        states += explorer.reached().size();
        transitions += explorer.progress().transitions;
        bytes =
            static_cast<double>(explorer.bytes()) / static_cast<double>(explorer.reached().size());
    }
    using benchmark::Counter;
    state.counters["states/s"] = Counter(static_cast<double>(states), Counter::kIsRate);
    state.counters["transitions/s"] = Counter(static_cast<double>(transitions), Counter::kIsRate);
    state.counters["states"] =
        static_cast<double>(states) / static_cast<double>(state.iterations());
    state.counters["bytes/state"] = bytes;
}

// Runs as `fuzz --strategy random` does; with Simulator every step is executed.
template <template <class> class AnySimulator>
void simulate(benchmark::State& state, const Scope& scope, bool checks) {
    const auto world = make_world<TinySize>(scope);
    const auto properties = checks ? properties_without_monitors() : std::vector<const Property*>{};
    AnySimulator<CanalWorld<TinySize>> simulator(world, Judge(properties), Judge());
    std::uint64_t steps = 0;
    std::uint64_t seed = 1;
    RandomStrategy random;
    for ([[maybe_unused]] auto iteration : state) {
        random.begin(seed++);
        if constexpr (requires { simulator.run_fast(random, 1); }) {
            steps += simulator.run_fast(random, 100'000).actions.size();
        } else {
            steps += simulator.run(random, 100'000)->actions.size();
        }
    }
    using benchmark::Counter;
    state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
    state.counters["runs/s"] = Counter(static_cast<double>(state.iterations()), Counter::kIsRate);
}

void explore_manager_4(benchmark::State& state) {
    explore<TinySize>(state, kManagerFour, unreduced());
}
void explore_manager_4_checked(benchmark::State& state) {
    ExploreOptions options = unreduced();
    options.check = properties_without_monitors();
    explore<TinySize>(state, kManagerFour, options);
}
void explore_manager_4_symmetry(benchmark::State& state) {
    explore<TinySize>(state, kManagerFour, ExploreOptions{});
}
void explore_manager_4_fingerprints(benchmark::State& state) {
    ExploreOptions options = unreduced();
    options.storage = Storage::kFingerprints;
    explore<TinySize>(state, kManagerFour, options);
}
void explore_counters_6(benchmark::State& state) {
    explore<SmallSize>(state, kCountersSix, unreduced());
}
// The argument is the number of workers.
void explore_counters_7(benchmark::State& state) {
    ExploreOptions options = unreduced();
    options.jobs = static_cast<std::size_t>(state.range(0));
    explore<SmallSize>(state, kCountersSeven, options);
}
void explore_manager_5(benchmark::State& state) {
    ExploreOptions options = unreduced();
    options.jobs = static_cast<std::size_t>(state.range(0));
    explore<SmallSize>(state, kManagerFive, options);
}
void explore_manager_5_symmetry(benchmark::State& state) {
    explore<SmallSize>(state, kManagerFive, ExploreOptions{});
}
const Scope kCountersFour{{1, 1, 2, 2}, 2, 2, false, false};
void simulate_random(benchmark::State& state) {
    simulate<LearnedSimulator>(state, kManagerFour, false);
}
void simulate_random_checked(benchmark::State& state) {
    simulate<LearnedSimulator>(state, kManagerFour, true);
}
void simulate_random_counters(benchmark::State& state) {
    simulate<LearnedSimulator>(state, kCountersFour, false);
}
void simulate_random_taken(benchmark::State& state) {
    simulate<Simulator>(state, kManagerFour, false);
}
void simulate_random_taken_checked(benchmark::State& state) {
    simulate<Simulator>(state, kManagerFour, true);
}

BENCHMARK(explore_manager_4)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(explore_manager_4_checked)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(explore_manager_4_symmetry)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(explore_manager_4_fingerprints)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(explore_counters_6)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(explore_manager_5_symmetry)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(explore_counters_7)->Unit(benchmark::kSecond)->UseRealTime()->Arg(1)->Arg(2);
BENCHMARK(explore_manager_5)->Unit(benchmark::kSecond)->UseRealTime()->Arg(1)->Arg(2);
BENCHMARK(simulate_random);
BENCHMARK(simulate_random_checked);
BENCHMARK(simulate_random_counters);
BENCHMARK(simulate_random_taken);
BENCHMARK(simulate_random_taken_checked);

}  // namespace
}  // namespace lockkeeper::bench

BENCHMARK_MAIN();

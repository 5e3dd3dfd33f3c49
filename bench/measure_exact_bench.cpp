// SPDX-License-Identifier: Apache-2.0

// Exact rates: chains made directly as arrays, ten million states without cycles and a million in
// one component; and canal locks' graphs, explored and solved, without cycles and in one component
// of millions. Figures stand in docs/understanding/speed.md.
#include <algorithm>

#include <benchmark/benchmark.h>

#include "bench/scopes.hpp"
#include "measure/exact.hpp"
#include "measure/solution.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper::bench {
namespace {

// Three queues side by side, each of 0 .. n - 1: arrivals 1, departures 2. An arrival at the full
// first queue is what is waited for; each state is left for good with the rate `leave`.
Chain three_queues(StateIndex n, double leave) {
    Chain chain;
    chain.labels = {{0, false, false}, {1, false, false}};
    const StateIndex gone = n * n * n;
    std::vector<Transition> row;
    for (StateIndex state = 0; state < gone; ++state) {
        row.clear();
        double sum = leave;
        const auto add = [&](StateIndex target, double rate, std::uint32_t shows) {
            row.push_back({target, rate, {shows, false, false}});
            sum += rate;
        };
        StateIndex stride = 1;
        for (int queue = 2; queue >= 0; --queue, stride *= n) {
            const StateIndex length = state / stride % n;
            if (length + 1 < n) {
                add(state + stride, 1, 0);
            } else if (queue == 0) {
                add(gone, 1, 1);
            }
            if (length > 0) {
                add(state - stride, 2, 0);
            }
        }
        row.push_back({gone, leave, {}});
        for (Transition& transition : row) {
            transition.probability /= sum;
        }
        chain.add_state(row);
    }
    chain.add_state({});
    return chain;
}

// Without cycles, as most scenarios are: four transitions each, up to 100,000 states ahead, one in
// a thousand shows what is waited for.
Chain layers(StateIndex size) {
    Chain chain;
    chain.labels = {{0, false, false}, {1, false, false}};
    std::uint64_t random = 88'172'645'463'325'252ULL;  // xorshift
    const auto next = [&](std::uint64_t bound) {
        random ^= random << 13U;
        random ^= random >> 7U;
        random ^= random << 17U;
        return random % bound;
    };
    std::vector<Transition> row(4);
    for (StateIndex state = 0; state < size; ++state) {
        for (Transition& transition : row) {
            const StateIndex target = state + 1 + static_cast<StateIndex>(next(100'000));
            transition = {std::min(target, size), 0.25, {next(1000) == 0 ? 1U : 0U, false, false}};
        }
        chain.add_state(row);
    }
    chain.add_state({});
    return chain;
}

void solve_chain(benchmark::State& state, const Chain& chain) {
    Collecting what;
    what.by_label = {0, 1};
    what.cut.label_stops = {false, true};
    double error = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const Solution solution = solve(chain, components_of(chain, {}), what, {});
        error = static_cast<double>(solution.errors[0]);
    }
    state.counters["states"] = static_cast<double>(chain.size());
    state.counters["relative_error"] = error;
}
void solve_ten_million_states(benchmark::State& state) { solve_chain(state, layers(10'000'000)); }
void solve_a_million_in_one_component(benchmark::State& state) {
    solve_chain(state, three_queues(100, 1));
}

// The argument has what each caller sees as digits.
void measure_scope(benchmark::State& state, Scope scope) {
    for (auto digits = state.range(0); digits > 0; digits /= 10) {
        scope.buckets.insert(scope.buckets.begin(), static_cast<std::uint16_t>(digits % 10));
    }
    const ErasedSystem system{make_world<canal::SmallSize>(scope)};
    MeasureOptions options;
    options.check = {find_property("over-allocation")};
    if (!scope.for_ever) {  // a leak shows at rest
        options.check.push_back(find_property("leak"));
    }
    std::uint64_t states = 0;
    double width = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const MeasureResult result = measure_exactly(system, options);
        states = result.states;
        const Figure& rate = result.properties.front().per_run;
        width = (rate.high - rate.low) / rate.value;
    }
    state.counters["states"] = static_cast<double>(states);
    state.counters["relative_width"] = width;
}
// Manager, cold, each caller acquires and releases once.
void measure_canal(benchmark::State& state) { measure_scope(state, {}); }
// Manager, warm, for ever.
void measure_canal_for_ever(benchmark::State& state) {
    Scope scope;
    scope.warm = true;
    scope.for_ever = true;
    scope.max_decr_tries = 15;
    measure_scope(state, scope);
}

BENCHMARK(solve_ten_million_states)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);
BENCHMARK(solve_a_million_in_one_component)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);
BENCHMARK(measure_canal)->Unit(benchmark::kSecond)->UseRealTime()->Arg(1122)->Arg(11222);
BENCHMARK(measure_canal_for_ever)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Arg(222)
    ->Arg(2222);

}  // namespace
}  // namespace lockkeeper::bench

// SPDX-License-Identifier: Apache-2.0

// Sampled steps per second, one core; and how long splitting takes for an event of probability
// 7e-10 (gambler's ruin, (4 - 1) / (4^16 - 1)) to an interval 10 % of the value wide.
#include <array>

#include <benchmark/benchmark.h>

#include "bench/scopes.hpp"
#include "measure/sampled.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/runs/learned_walks.hpp"

namespace lockkeeper::bench {
namespace {

// Callers that acquire and release for ever, two buckets of ten units.
MakeWalker canal_throng(std::size_t callers) {
    using Lock = canal::CanalLock<canal::ThrongSize>;
    canal::CanalOptions options;
    options.manager_max_per = 10;
    options.max_pers = {10};
    WorldConfig world;
    world.keys = {"db"};
    Operation acquire;
    acquire.place_capacity = 10;
    acquire.places = 2;
    Operation release = acquire;
    release.verb = Verb::kRelease;
    for (std::size_t i = 0; i < callers; ++i) {
        CallerConfig caller;
        caller.name = "A" + std::to_string(i);
        caller.script = {acquire, release};
        caller.repeats_forever = true;
        world.callers.push_back(caller);
    }
    return learned_walkers_of(World<Lock>(Lock(options), world));
}

// The argument is the number of callers.
void sample(benchmark::State& state, LawKind kind, const std::vector<const Property*>& check) {
    const MakeWalker make_walker = canal_throng(static_cast<std::size_t>(state.range(0)));
    MeasureOptions options;
    options.law.kind = kind;
    options.check = check;
    options.runs_max = 64;
    options.steps_max = 20'000;
    std::uint64_t steps = 0;
    for ([[maybe_unused]] auto iteration : state) {
        ++options.seed;
        steps += measure_by_sampling(make_walker, options).steps;
    }
    state.counters["steps/s"] =
        benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate);
}

void sample_uniform(benchmark::State& state) { sample(state, LawKind::kUniform, {}); }
void sample_uniform_checked(benchmark::State& state) {
    sample(state, LawKind::kUniform, {find_property("over-allocation"), find_property("leak")});
}
void sample_weights(benchmark::State& state) { sample(state, LawKind::kWeights, {}); }
void sample_rates(benchmark::State& state) { sample(state, LawKind::kRates, {}); }

// A position between 0 and 16, from 1: up with weight 1, down with weight 4.
struct Ruin {
    struct State {
        std::uint32_t position;
    };
    [[nodiscard]] State initial() const { return {1}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::uint16_t down = 0; down < 5 && !finished(state); ++down) {
            out.add({0, ActionKind::kStep, down});
        }
    }
    Event apply(State& state, Action action) const {
        state.position = action.argument > 0 ? state.position - 1 : state.position + 1;
        Event event;
        event.what = state.position == 16 ? kRefused : 0U;
        return event;
    }
    void observe(const State& state, Observation& out) const {
        out.callers_count = 0;
        out.keys_count = 1;
        out.keys[0].counters.clear();
        out.keys[0].believed = state.position;
        out.keys[0].counted_least = out.keys[0].counted_most = 0;
    }
    [[nodiscard]] bool quiescent(const State&) const { return false; }
    [[nodiscard]] bool finished(const State& state) const {
        return state.position == 0 || state.position == 16;
    }
    [[nodiscard]] std::string describe(const State&, Action) const { return "step"; }
    [[nodiscard]] std::string show(const State& state) const {
        return std::to_string(state.position);
    }
};

void splitting_seven_in_ten_thousand_million(benchmark::State& state) {
    MeasureOptions options;
    options.check = {find_goal("full")};
    options.relative_width = 0.1;
    options.runs_max = 1'000'000'000;
    const MakeWalker make_walker = walkers_of(Ruin{});
    for ([[maybe_unused]] auto iteration : state) {
        ++options.seed;
        const Figure figure = measure_by_splitting(make_walker, options).properties[0].per_run;
        state.counters["value"] = figure.value;
        state.counters["width"] = (figure.high - figure.low) / figure.value;
    }
}

BENCHMARK(sample_uniform)->Unit(benchmark::kMillisecond)->Arg(8)->Arg(32)->Arg(128);
BENCHMARK(sample_uniform_checked)->Unit(benchmark::kMillisecond)->Arg(8)->Arg(32)->Arg(128);
BENCHMARK(sample_weights)->Unit(benchmark::kMillisecond)->Arg(32);
BENCHMARK(sample_rates)->Unit(benchmark::kMillisecond)->Arg(32);
BENCHMARK(splitting_seven_in_ten_thousand_million)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace lockkeeper::bench

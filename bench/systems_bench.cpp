// SPDX-License-Identifier: Apache-2.0

// Distinct states per second of every system, one core, in a scope of some hundred thousand
// states. Nothing is checked: what a property costs is another question. One is asked: livelock,
// which needs the graph, where callers that ask again make cycles.
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "properties/catalogue.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper::bench {
namespace {

std::unique_ptr<Runner> runner_of(const Registry& registry, const std::string& file) {
    auto loaded = load_scenario(file);
    if (const auto* error = std::get_if<InputError>(&loaded)) {
        throw std::runtime_error(error->text());
    }
    auto made = registry.make(std::get<Scenario>(loaded));
    if (const auto* error = std::get_if<InputError>(&made)) {
        throw std::runtime_error(error->text());
    }
    return std::move(std::get<std::unique_ptr<Runner>>(made));
}

void explore_system(benchmark::State& state, const std::string& file,
                    const std::vector<const Property*>& check) {
    const Registry registry = shipped_systems();
    const auto runner = runner_of(registry, file);
    ExploreOptions options;
    options.jobs = 1;
    options.check = check;
    options.counting = Counting::kOff;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const ExploreResult result = runner->explore(options);
        states += result.states;
        transitions += result.transitions;
    }
    using benchmark::Counter;
    state.counters["states/s"] = Counter(static_cast<double>(states), Counter::kIsRate);
    state.counters["transitions/s"] = Counter(static_cast<double>(transitions), Counter::kIsRate);
    state.counters["states"] =
        static_cast<double>(states) / static_cast<double>(state.iterations());
}

void add(const char* name, const char* file, const std::vector<const Property*>& check = {}) {
    benchmark::RegisterBenchmark(
        name, [file, check](benchmark::State& state) { explore_system(state, file, check); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

const bool kAdded = [] {
    add("system_monglock_write", "scenarios/monglock/write_lock/repairs/all_three_clients.json");
    add("system_monglock_multi",
        "scenarios/monglock/multi_lock/repairs/two_readers.json#all_two_readers");
    add("system_transactional_pg", "bench/systems/transactional_pg.json");
    add("system_transactional_innodb", "bench/systems/transactional_innodb.json");
    add("system_session_lock_pool", "bench/systems/session_lock_pool.json");
    add("system_try_retry", "bench/systems/try_retry.json");
    add("system_lease_db", "scenarios/leases/given/db_ok_means_held.json");
    add("system_lease_service", "scenarios/leases/bounds/sv_grace_above_pause.json");
    add("system_lease_coordinator", "scenarios/leases/use_cases/co_module_lease.json");
    add("graph_with_cycles", "bench/systems/multi_two_writers.json");
    add("graph_with_cycles_livelock", "bench/systems/multi_two_writers.json",
        {find_property("livelock")});
    add("graph_without_cycles_livelock", "bench/compare/scopes/manager_5x1.json",
        {find_property("livelock")});
    return true;
}();

}  // namespace
}  // namespace lockkeeper::bench

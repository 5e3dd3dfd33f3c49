// SPDX-License-Identifier: Apache-2.0

// Distinct states per second of every system, one core, in a scope of some hundred thousand
// states. Nothing is checked: what a property costs is another question. One is asked: livelock,
// which needs the graph, where callers that ask again make cycles.
//
// And two clients of every system with each fault once, by all workers and with every reduction
// that the system has, to the end (docs/understanding/reductions.md has the states of each). That
// of monglock's multi lock does not end in minutes.
#include <algorithm>
#include <stdexcept>
#include <thread>

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

void explore_system(benchmark::State& state, const std::string& file, ExploreOptions options) {
    const Registry registry = shipped_systems();
    const auto runner = runner_of(registry, file);
    options.counting = Counting::kOff;
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const ExploreResult result = runner->explore(options);
        if (!result.complete) {
            state.SkipWithError(result.limit.c_str());
        }
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
    ExploreOptions options;
    options.jobs = 1;
    options.check = check;
    benchmark::RegisterBenchmark(
        name, [=](benchmark::State& state) { explore_system(state, file, options); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

// bench/`folder`/`system`.json, by all cores, with all that is sound.
void add_large(const std::string& folder, const std::string& system) {
    ExploreOptions options;
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
    options.reduction = Reduction::kFaultsLeftAndRelativeTime;
    const std::string file = "bench/" + folder + "/" + system + ".json";
    const std::string name = folder.substr(folder.find('/') + 1) + "_" + system;
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { explore_system(state, file, options); })
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
    for (const char* system : {"canal", "lease_coordinator", "lease_db", "lease_service",
                               "monglock_multi", "monglock_write", "session_lock_pool",
                               "transactional_innodb", "transactional_pg", "try_retry"}) {
        add_large("systems/two_clients", system);
    }
    // They end in a minute; monglock_multi does not after 18 million states.
    for (const char* system : {"lease_coordinator", "lease_db", "lease_service", "monglock_write",
                               "transactional_innodb", "transactional_pg"}) {
        add_large("opposite_orders", system);
    }
    return true;
}();

}  // namespace
}  // namespace lockkeeper::bench

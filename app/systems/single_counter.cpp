#include "impl/single_counter/single_counter.hpp"

#include <set>

#include "app/own_lock.hpp"

namespace lockkeeper {
namespace {

using Size = WorldSize<8, 4, std::uint16_t, std::uint16_t, 4>;
using Lock = single_counter::SingleCounter<Size>;

Lock make_single_counter(const Scenario& scenario) {
    single_counter::Options options;
    options.max_decr_tries = scenario.parameters.max_decr_tries;
    options.keys = scenario.world.keys;
    for (const std::string& key : options.keys) {
        const auto table = scenario.parameters.tables.find(key);
        const bool given =
            table != scenario.parameters.tables.end() && !table->second.buckets.empty();
        options.initial.push_back(given ? table->second.buckets.front() : 0);
    }
    std::set<std::uint32_t> capacities;
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire) {
                continue;
            }
            capacities.insert(operation.capacity());
            for (const std::uint16_t view : scenario.world.views) {
                if (operation.follows_resizes) {
                    capacities.insert(static_cast<std::uint32_t>(operation.max_per) * view);
                }
            }
        }
    }
    if (!capacities.empty()) {
        options.capacities.assign(capacities.begin(), capacities.end());
    }
    return Lock(std::move(options));
}

}  // namespace

void add_single_counter(Registry& registry) {
    register_lock(
        registry,
        {"single_counter", "faithful", "the one counter per key that canal lock replaced"},
        make_single_counter, {.locks = 65'534});
}

}  // namespace lockkeeper

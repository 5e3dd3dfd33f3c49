// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "impl/canal/canal_lock.hpp"
#include "impl/canal/descriptor/canal_descriptors.hpp"
#include "impl/canal/descriptor/compiled_size.hpp"
#include "scenarios/registry/needs.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using canal::CanalOptions;

constexpr NamedRepair kRepairs[] = {
    {"whole_row_take", canal::kWholeRowTake},
    {"whole_row_give_back", canal::kWholeRowGiveBack},
    {"count_against_view", canal::kCountAgainstView},
    {"announce_first", canal::kAnnounceFirst},
    {"owners_in_row", canal::kOwnersInRow},
};
static_assert(names_all(kRepairs, canal::kAllRepairs));

bool passes_0_buckets(const Operation& acquire, const std::vector<std::uint16_t>& views) {
    return acquire.follows_resizes ? std::find(views.begin(), views.end(), 0) != views.end()
                                   : acquire.places == 0;
}

// A caller that passes 0 buckets walks on until it is granted. An acquire creates at most one
// bucket, and passes an empty one only after others have been granted its max_per units there.
std::size_t buckets_walked(const Scenario& scenario) {
    bool walks_on = false;
    std::size_t acquires = 0;
    std::size_t least_max_per = kMaxPerMax;
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire) {
                walks_on = walks_on || passes_0_buckets(operation, scenario.world.views);
                acquires += caller.repeats_forever ? 2 : 1;  // as Outstanding in needs.cpp does
                least_max_per = std::min<std::size_t>(least_max_per, operation.place_capacity);
            }
        }
    }
    if (!walks_on) {
        return 0;
    }
    std::size_t passed_at_once = 0;
    for (const auto& [key, table] : scenario.parameters.tables) {
        const bool is_empty = std::all_of(table.buckets.begin(), table.buckets.end(),
                                          [](std::int32_t counter) { return counter <= 0; });
        if (least_max_per == 0 || !is_empty) {
            passed_at_once = std::max(passed_at_once, table.buckets.size());
        }
    }
    const std::size_t each = std::max<std::size_t>(least_max_per, 1);
    return passed_at_once + (acquires + each - 1) / each;
}

MadeRunner make_canal(const Scenario& scenario) {
    const std::uint8_t repairs = canal_repairs_of(scenario);
    Needs needs = needs_of(scenario);
    const bool walks = (repairs & canal::kWholeRowTake) == 0;
    if (const std::size_t buckets = walks ? buckets_walked(scenario) : 0; buckets > 0) {
        needs.buckets = std::max(needs.buckets, buckets);
        needs.held = needs.callers * needs.locks;  // no view is their limit
    }
    const std::vector<CompiledSize> compiled = compiled_sizes();
    for (const CompiledSize& size : compiled) {
        const bool tries_fit = scenario.parameters.max_decr_tries.value_or(1) <= 100;
        if (fits(needs, size.room) && tries_fit) {
            return size.run(canal_options(scenario, repairs), scenario.world);
        }
    }
    std::string sizes;
    for (const CompiledSize& size : compiled) {
        const std::string lacks = lacking(needs, size.room);
        sizes += (sizes.empty() ? "" : "; ") + size.name + " (" +
                 (lacks.empty() ? "max_decr_tries at most 100" : lacks) + ")";
    }
    return InputError{scenario.file, "", "does not fit the compiled sizes: " + sizes};
}

}  // namespace

canal::CanalOptions canal_options(const Scenario& scenario, std::uint8_t repairs) {
    CanalOptions options;
    options.max_decr_tries = scenario.parameters.max_decr_tries;
    options.manager_max_per = scenario.parameters.manager_max_per;
    options.has_manager = scenario.parameters.has_manager;
    options.returns_count = scenario.parameters.returns_count;
    options.repairs = repairs;
    options.keys = scenario.world.keys;
    options.tables.resize(options.keys.size());
    for (std::size_t i = 0; i < options.keys.size(); ++i) {
        const auto table = scenario.parameters.tables.find(options.keys[i]);
        if (table != scenario.parameters.tables.end()) {
            options.tables[i] = {table->second.buckets, table->second.highest};
        }
    }
    std::set<std::uint16_t> max_pers;
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire) {
                max_pers.insert(operation.place_capacity);
            }
        }
    }
    if (!max_pers.empty()) {
        options.max_pers.assign(max_pers.begin(), max_pers.end());
    }
    return options;
}

SystemDescription canal_description() {
    Vocabulary words;
    words.format_keys = {FormatKey::kPlaces, FormatKey::kTable, FormatKey::kMaxDecrTries,
                         FormatKey::kManager, FormatKey::kReturns};
    return {"canal", "faithful", "canal lock as published (Erlang, version 1.0.0)",
            "",      words,      {kErlangServer, RealServer::Clients::kLockTable}};
}

SystemDescription with_canal_repairs(SystemDescription faithful) {
    return repaired(std::move(faithful), kRepairs,
                    "canal lock with five repairs, each a switch (parameters/repairs)");
}

std::uint8_t canal_repairs_of(const Scenario& scenario) {
    return repairs_of<std::uint8_t>(scenario, kRepairs);
}

void register_canal(Registry& registry) {
    SystemDescription with_repairs = with_canal_repairs(canal_description());
    with_repairs.server.why_not =
        "its row is one object of the table, which the published lock does not have";
    std::vector<std::string> sizes;
    for (const CompiledSize& size : compiled_sizes()) {
        sizes.push_back(size.name + ": " + text_of(size.room));
    }
    constexpr std::uint32_t kFeatures = canal::CanalLock<canal::TinySize>::kFeatures;
    registry.add({canal_description(), kFeatures, sizes, make_canal});
    registry.add({with_repairs, kFeatures, sizes, make_canal});
    add_planted_canal_bugs(registry);
    add_canal_mailbox(registry);
}

}  // namespace lockkeeper

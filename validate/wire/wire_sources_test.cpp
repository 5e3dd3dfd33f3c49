// SPDX-License-Identifier: Apache-2.0

// Source sets against sleep sets alone: the same ends, in the same number of schedules, because
// both look at each run once, in one of its orders; source sets leave fewer of them in the middle.
// The full search is compared in wire_search_test.cpp and random_scripts_test.cpp.
#include <cstdlib>
#include <filesystem>
#include <set>

#include "validate/wire/shipped_examples_test.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

struct Looked {
    std::set<std::string> ends;
    OutsideResult result;
};

enum class Uses : std::uint8_t { kNothing, kSleepSets, kSourceSets };

Looked looked_at(const std::string& kind, const OutsideWorld& world, const WireScope& scope,
                 Uses uses) {
    Looked looked;
    OutsideOptions options = exploring();
    options.reduces = uses != Uses::kNothing;
    options.uses_source_sets = uses == Uses::kSourceSets;
    options.schedules_max = 1'000'000;
    options.seconds_max = 3'600;
    options.on_outcome = [&](const std::string& outcome) { looked.ends.insert(outcome); };
    Held held(raw_client(kind), world, scope, options);
    looked.result = held.search->search();
    EXPECT_TRUE(looked.result.complete) << looked.result.limit << looked.result.diverged;
    return looked;
}

// How many runs were left in the middle, with sleep sets alone and with source sets.
std::pair<std::uint64_t, std::uint64_t> runs_left(const std::string& kind,
                                                  const OutsideWorld& world,
                                                  const WireScope& scope) {
    const Looked alone = looked_at(kind, world, scope, Uses::kSleepSets);
    const Looked sources = looked_at(kind, world, scope, Uses::kSourceSets);
    EXPECT_EQ(alone.ends, sources.ends);
    EXPECT_EQ(alone.result.schedules, sources.result.schedules);
    EXPECT_LE(sources.result.reduced, alone.result.reduced);
    return {alone.result.reduced, sources.result.reduced};
}

TEST(WireSources, LookAtTheSameRunsAndLeaveFewerInTheMiddle) {
    SKIP_WITHOUT_REDIS();
    WireScope expiry;
    expiry.expiries_max = 1;
    expiry.splits = true;
    const auto [alone, sources] = runs_left("right", two_callers(), expiry);
    EXPECT_LT(4 * sources, alone);
    runs_left("get_then_set,anybody", two_callers(), {});
}

// Nobody knows which orders such a rule tells apart.
TEST(WireSources, AreNotUsedWhereARuleReadsStates) {
    SKIP_WITHOUT_REDIS();
    static constexpr Property kReadsStates{
        .number = 901,
        .name = "reads-states",
        .triggers = kAcquired,
        .needs_observation = true,
        .holds_not = [](const Observation& seen, const Event&) { return seen.keys_count == 0; }};
    OutsideWorld world = two_callers_or_less();
    const Looked all = looked_at("right", world, {}, Uses::kNothing);
    const Looked sources = looked_at("right", world, {}, Uses::kSourceSets);
    world.check.push_back(&kReadsStates);
    const Looked asked = looked_at("right", world, {}, Uses::kSourceSets);
    EXPECT_LT(sources.result.schedules, all.result.schedules);
    EXPECT_EQ(all.result.schedules, asked.result.schedules);
    EXPECT_LT(0U, asked.result.tally.decided.at(PropertyNumber(901)));
}

TEST(WireSources, LoseNoRunWithAFault) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld killed = two_callers_or_less();
    killed.world.crashes_max = 1;
    runs_left("two_requests", killed, {});
    WireScope late;
    late.late_max = 1;
    runs_left("right", two_callers_or_less(), late);
    WireScope drops;
    drops.drops_max = 1;
    drops.splits = true;
    runs_left("right", two_callers_or_less(), drops);
    WireScope server;
    server.server_restarts_max = server.failovers_max = 1;
    runs_left("sha", two_callers({Verb::kAcquire}), server);
}

// ctest -L long.
TEST(WireSources, DISABLED_LongLoseNoRunWithTwoFaults) {
    ASSERT_FALSE(databases::find_program("redis-server").empty());
    OutsideWorld killed = two_callers();
    killed.world.crashes_max = killed.world.restarts_max = 1;
    runs_left("right", killed, {});
    WireScope late;
    late.late_max = 1;
    runs_left("right", killed, late);
}

// LOCKKEEPER_FULL_SEARCH, where it is set, names the scenarios to compare with the full search as
// well, or "all" of them: that takes many thousand runs.
TEST(WireSources, LookAtTheSameRunsOfShippedScopes) {
    SKIP_WITHOUT_REDIS();
    const char* asked = std::getenv("LOCKKEEPER_FULL_SEARCH");
    const std::string full = asked == nullptr ? "" : asked;
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
        const std::string name = entry.path().stem().string();
        // A server that restarts, in a smaller scope: see above.
        const bool is_quick = name == "two_callers" || name == "killed" ||
                              (name == "server_restart" && !testing_model::is_short_run());
        const bool is_asked = full == "all" || (!full.empty() && full == name);
        if (entry.path().extension() != ".json" || !(full.empty() ? is_quick : is_asked)) {
            continue;
        }
        SCOPED_TRACE(name);
        ++compared;
        auto loaded = load_replayable(entry.path().string());
        const WireScenario made = for_wire(std::get<Scenario>(std::move(loaded)), {}, {}, false);
        const WireScope& scope = made.plan.scope;
        runs_left("right", made.world, scope);
        if (is_asked) {
            const Looked all = looked_at("right", made.world, scope, Uses::kNothing);
            const Looked sources = looked_at("right", made.world, scope, Uses::kSourceSets);
            EXPECT_EQ(all.ends, sources.ends);
            RecordProperty(name, std::to_string(sources.result.schedules) + " of " +
                                     std::to_string(all.result.schedules));
        }
    }
    const std::size_t quick = testing_model::is_short_run() ? 2 : 3;
    EXPECT_EQ(full == "all" ? 10U : full.empty() ? quick : 1U, compared);
}

}  // namespace
}  // namespace lockkeeper::wire

// SPDX-License-Identifier: Apache-2.0

// Source sets against sleep sets alone: the same ends, in the same number of schedules, because
// both look at each run once, in one of its orders; source sets leave fewer of them in the middle.
// The full search is compared in wire_search_test.cpp and random_scripts_test.cpp.
#include <set>

#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

struct Looked {
    std::set<std::string> ends;
    SteppedResult result;
};

Looked looked_at(const std::string& kind, const OutsideWorld& world, const WireScope& scope,
                 bool uses_source_sets) {
    Looked looked;
    WireSearchOptions options = exploring();
    options.uses_source_sets = uses_source_sets;
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
    const Looked alone = looked_at(kind, world, scope, false);
    const Looked sources = looked_at(kind, world, scope, true);
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

TEST(WireSources, LoseNoRunWithAFault) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld killed = two_callers();
    killed.world.crashes_max = 1;
    runs_left("two_requests", killed, {});
    killed.world.restarts_max = 1;
    WireScope late;
    late.late_max = 1;
    runs_left("right", killed, late);
    WireScope drops;
    drops.drops_max = 1;
    drops.splits = true;
    runs_left("right", two_callers(), drops);
    WireScope server;
    server.server_restarts_max = server.failovers_max = 1;
    runs_left("sha", two_callers({Verb::kAcquire}), server);
}

}  // namespace
}  // namespace lockkeeper::wire

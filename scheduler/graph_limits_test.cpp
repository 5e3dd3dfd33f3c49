#include "scheduler/graph_limits.hpp"

#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

std::string limit_of(const ExploreOptions& options, double seconds, std::size_t bytes) {
    try {
        GraphLimits(options, seconds, bytes).look(10);
        return "none";
    } catch (const GraphLimitReached& reached) {
        return reached.limit;
    }
}

TEST(GraphLimits, CountWhatTheSearchHasTaken) {
    ExploreOptions options;
    EXPECT_EQ(limit_of(options, 1e9, 1 << 20), "none");
    options.seconds_max = 5;
    EXPECT_EQ(limit_of(options, 4, 0), "none");
    EXPECT_EQ(limit_of(options, 5.5, 0), "time");
    options.bytes_max = 100;
    EXPECT_EQ(limit_of(options, 0, 90), "none");
    EXPECT_EQ(limit_of(options, 0, 91), "memory");
}

TEST(GraphLimits, AnInterruptEndsTheLook) {
    request_interrupt();
    EXPECT_EQ(limit_of({}, 0, 0), "interrupted");
    clear_interrupt();
}

// Room for the states, none for the graph.
TEST(GraphLimits, ASearchThatMayNotBuildTheGraphIsIncomplete) {
    CanalScope scope = warm(once_each({1}, 1, std::nullopt), 1);
    scope.world = world_of({{acquire(1, 1), release(1, 1)}, {insist(1, 1)}});
    const auto system = runner(scope);
    ExploreOptions options;
    options.check = {find_property("livelock")};
    const ExploreResult all = system->explore(options);
    ASSERT_TRUE(all.complete);
    ASSERT_FALSE(all.violations.empty());
    options.bytes_max = all.bytes_stored;
    const ExploreResult cut_off = system->explore(options);
    EXPECT_EQ(cut_off.states, all.states);
    EXPECT_FALSE(cut_off.complete);
    EXPECT_EQ(cut_off.limit, "memory");
    EXPECT_TRUE(cut_off.violations.empty());
    EXPECT_TRUE(std::holds_alternative<Inconclusive>(cut_off.verdict));
}

}  // namespace
}  // namespace lockkeeper

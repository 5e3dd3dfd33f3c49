// SPDX-License-Identifier: Apache-2.0

// Programs that only their history shows to be wrong, and runs that are tried first because they
// once failed.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

OutsideWorld judged_by_history(OutsideWorld world) {
    world.check = {find_property("unexplained-history")};
    return world;
}

TEST(ProgramHistory, ShowsThatALockIsWrong) {
    NEEDS_TOOL("python3");
    Searched searched(example("python3", "counter.py"), judged_by_history(pairs(2, 1)));
    ASSERT_EQ("unexplained-history", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_EQ(4U, shrunk.actions.size());
    const OutsideTrace trace = searched.search->show(shrunk);
    EXPECT_EQ("unexplained-history", trace.violated.at(0)->name);
    EXPECT_EQ("reentrant-mutex", trace.calls.model);
    EXPECT_NE("", trace.calls.reason);
    EXPECT_EQ(4U, trace.calls.history.records.size());
}

TEST(ProgramHistory, AccusesNoRightLock) {
    NEEDS_TOOL("python3");
    OutsideWorld crash = pairs(2, 1);
    crash.world.crashes_max = 1;
    OutsideWorld lease = pairs(2, 1);
    lease.ticks_max = testing_model::is_short_run() ? 2 : 3;
    lease.world.crashes_max = 1;
    for (const auto& [command, world] : {std::pair{"counter.py --atomic", pairs(2, 1)},
                                         {"counter.py --atomic", pairs(3, 2)},
                                         {"canal.py", crash},
                                         {"set_nx_px.py", or_less(lease)}}) {
        const Searched searched(example("python3", command), judged_by_history(world));
        EXPECT_EQ("nothing", searched.found()) << command;
        EXPECT_EQ(0U, searched.result.tally.undecided_histories) << command;
        EXPECT_TRUE(searched.result.complete) << command;
    }
}

TEST(ProgramHistory, ShowsALeaseThatSomebodyElseRenews) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire), operation(Verb::kRelease)});
    world.world.words = {"renew"};
    Operation renew = operation(Verb::kCall);
    auto& script = world.world.callers[0].script;
    script.insert(script.begin() + 1, renew);
    world.world.callers[1].script.front().until_acquired = true;
    world.parameters = {{"ttl", 2}};
    world.ticks_max = 3;
    EXPECT_EQ(
        "unexplained-history",
        Searched(example("python3", "lease.py --renew-anybody"), judged_by_history(world)).found());
    world.ticks_max = testing_model::is_short_run() ? 2 : 3;
    EXPECT_EQ("nothing",
              Searched(example("python3", "lease.py"), judged_by_history(or_less(world))).found());
}

OutsideOptions knowing(const OutsideFinding& finding) {
    OutsideOptions options;
    options.corpus = {{1, finding.actions}};
    return options;
}

TEST(KnownRuns, ComeFirst) {
    NEEDS_TOOL("python3");
    Searched first(example("python3", "canal.py --faithful"), pairs(2, 2, 2));
    ASSERT_EQ("leak", first.found());
    EXPECT_GT(first.result.schedules, 1U);
    const OutsideFinding shrunk = first.search->shrink(*first.result.finding);
    Searched again(example("python3", "canal.py --faithful"), pairs(2, 2, 2), knowing(shrunk));
    EXPECT_EQ("leak", again.found());
    EXPECT_EQ("corpus", again.result.finding->found_by);
    EXPECT_EQ(1U, again.result.schedules);
    EXPECT_EQ(shrunk.actions, again.search->shrink(*again.result.finding).actions);
}

// The other lock asks other questions: what is not possible is passed over.
TEST(KnownRuns, OfAnotherLockAccuseNobody) {
    NEEDS_TOOL("python3");
    Searched wrong(example("python3", "counter.py"), pairs(2, 1));
    ASSERT_EQ("over-allocation", wrong.found());
    const std::string right = example("python3", "counter.py --atomic");
    const Searched without(right, pairs(2, 1));
    const Searched with(right, pairs(2, 1), knowing(*wrong.result.finding));
    EXPECT_EQ("nothing", with.found());
    EXPECT_TRUE(with.result.complete);
    EXPECT_EQ(without.result.schedules, with.result.schedules);
    EXPECT_EQ(without.result.tally.answers.grants, with.result.tally.answers.grants);
}

TEST(KnownRuns, AreGoneOnWithWhereTheyEndTooEarly) {
    NEEDS_TOOL("python3");
    Searched first(example("python3", "counter.py"), pairs(2, 1));
    ASSERT_EQ("over-allocation", first.found());
    OutsideFinding begun = first.search->shrink(*first.result.finding);
    begun.actions.resize(2);  // both have read
    const Searched again(example("python3", "counter.py"), pairs(2, 1), knowing(begun));
    ASSERT_EQ("over-allocation", again.found());
    EXPECT_EQ("corpus", again.result.finding->found_by);
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Clients in JavaScript as people write them: they repeat, and a search of them ends.
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

#define SKIP_WITHOUT_NODE()                        \
    SKIP_WITHOUT_REDIS();                          \
    if (databases::find_program("node").empty()) { \
        GTEST_SKIP() << "node is not installed";   \
    }

std::string node_client(const std::string& token, const std::string& also = "") {
    return "node " LOCKKEEPER_SOURCE_DIR "/validate/wire/test_clients/node_lock.mjs " + token +
           " " + also;
}

std::string came_to(const OutsideResult& result) {
    if (result.finding) {
        return result.finding->property == nullptr ? result.finding->detail
                                                   : std::string(result.finding->property->name);
    }
    return result.complete ? "passed" : result.limit + result.diverged;
}

TEST(NodeClients, RepeatWhicheverWayTheyDrawRandomNumbers) {
    SKIP_WITHOUT_NODE();
    EXPECT_EQ("passed",
              came_to(searched_on(ServerKind::kRedis, node_client("all"), "two_callers")));
}

OutsideResult first_runs(const char* also, std::uint64_t schedules) {
    OutsideOptions few = exploring();
    few.schedules_max = schedules;
    return searched_on(ServerKind::kRedis, node_client("named", also), "two_callers", few);
}

// The one that was started behind a kill has another number than the first.
TEST(NodeClients, RepeatWhatTheyMakeOfTheirProcess) {
    SKIP_WITHOUT_NODE();
    OutsideWorld world = two_callers();
    world.world.callers.pop_back();
    world.world.crashes_max = world.world.restarts_max = 1;
    OutsideOptions few = exploring();
    few.schedules_max = 12;
    Held held(node_client("own"), std::move(world), {}, few);
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
}

// Each time that its loop's wake is asked about is the first one.
TEST(NodeClients, OneThatIsAnotherOneEachTimeEndsTheSearchWithAnError) {
    SKIP_WITHOUT_NODE();
    const OutsideResult result =
        searched_on(ServerKind::kRedis, node_client("unlike", "notes"), "two_callers");
    ASSERT_TRUE(result.finding.has_value()) << result.limit << result.diverged;
    EXPECT_EQ(nullptr, result.finding->property);
    EXPECT_NE(std::string::npos, result.finding->detail.find("or what it answers, are other ones"))
        << result.finding->detail;
}

// Which wake of which thread does something is known for each of them.
TEST(NodeClients, AThreadThatWakesForNothingTakesNoWakeOfAnother) {
    SKIP_WITHOUT_NODE();
    Held held(node_client("named", "two_loops"), two_callers(), {}, exploring());
    const Action wakes{0, ActionKind::kBackground, 0};
    const OutsideTrace trace =
        held.search->replay({{0, ActionKind::kStep, 0}, {0, ActionKind::kStep, 1}, wakes, wakes});
    ASSERT_LE(4U, trace.steps.size());
    for (std::size_t i = 2; i < 4; ++i) {
        EXPECT_EQ("A wakes after 1 s", trace.steps[i].text) << i;
    }
}

// The engine of Node.js wakes to tidy its memory, and each process at other moments.
TEST(NodeClients, AFreshOneWaitsForNoTime) {
    SKIP_WITHOUT_NODE();
    Held held(node_client("named"), two_callers(), {}, {}, 10, Freshness::kStarted);
    held.wire->begin_run();
    held.wire->begin_caller(0);
    EXPECT_TRUE(held.wire->client(0).sleepers().empty());
}

TEST(NodeClients, ATimerThatWasTakenBackOrPutOffWakesNobody) {
    SKIP_WITHOUT_NODE();
    const auto searched = [](const std::string& also) {
        return searched_on(ServerKind::kRedis, node_client("named", also), "two_callers");
    };
    const OutsideResult plain = searched("");
    EXPECT_EQ("passed", came_to(plain));
    for (const char* also : everyday(0, {"refreshed"})) {
        EXPECT_EQ("passed", came_to(searched(also)));  // it ends in the end
    }
    for (const char* also : everyday(2, {"cleared", "idles", "quits"})) {
        const OutsideResult result = searched(also);
        EXPECT_EQ("passed", came_to(result)) << also;
        EXPECT_EQ(plain.schedules, result.schedules) << also;
    }
    EXPECT_TRUE(plain.tally.remarks.empty()) << *plain.tally.remarks.begin();
}

// Redis closes a connection behind its answer to QUIT. A timer of a client that is closed ends when
// time passes. Nothing is left then.
TEST(NodeClients, OnesThatComeToTheirEndAreKept) {
    SKIP_WITHOUT_NODE();
    for (const char* also : {"quits", "lingers"}) {
        const OutsideResult result = first_runs(also, 3);
        EXPECT_FALSE(result.finding.has_value()) << also;
        EXPECT_TRUE(result.tally.remarks.empty()) << also << *result.tally.remarks.begin();
    }
}

// A client that looks at the end at a second key is told to close within the run. QUIT gives
// nothing back.
TEST(NodeClients, OnesThatQuitWithinARunAreKept) {
    SKIP_WITHOUT_NODE();
    OutsideWorld world = two_callers();
    world.world.keys.emplace_back("other");
    for (Operation& operation : world.world.callers[1].script) {
        operation.key = 1;
    }
    OutsideOptions few = exploring();
    few.schedules_max = 3;
    Held held(node_client("named", "quits"), std::move(world), {}, few);
    const OutsideResult result = held.search->search();
    EXPECT_FALSE(result.finding.has_value()) << result.finding->detail;
    EXPECT_EQ("", result.diverged);
    EXPECT_TRUE(result.tally.remarks.empty()) << *result.tally.remarks.begin();
}

// A timer's note is a change, although nobody sees it.
TEST(NodeClients, ATimerThatOnlyNotesSomethingIsAChoice) {
    SKIP_WITHOUT_NODE();
    const OutsideResult result =
        searched_on(ServerKind::kRedis, node_client("named", "notes"), "two_callers");
    EXPECT_EQ("passed", came_to(result));
    EXPECT_LT(0U, result.tally.answers.errors);  // releases that are told "lost"
}

// The process of the last run is ended, not closed, where the next one has fresh processes.
TEST(NodeClients, ThatConnectAgainWhenARunEndsRepeatInFreshProcesses) {
    SKIP_WITHOUT_NODE();
    const OutsideResult result = first_runs("returns", 1);
    EXPECT_FALSE(result.finding.has_value()) << result.finding->detail;
    EXPECT_EQ("", result.diverged);
}

// Node.js keeps what it knows of a socket's timers when the socket is closed. The next run begins
// at an earlier time than the last one had come to.
TEST(NodeClients, ATimerOfARunIsNoneOfTheNext) {
    SKIP_WITHOUT_NODE();
    const OutsideResult result = first_runs("refreshed", 60);
    EXPECT_FALSE(result.finding.has_value()) << result.finding->detail;
    EXPECT_EQ("", result.diverged);
}

TEST(NodeClients, WhatOneLeavesBehindIsNamed) {
    SKIP_WITHOUT_NODE();
    const OutsideResult result = first_runs("leaves", 3);
    ASSERT_FALSE(result.tally.remarks.empty()) << came_to(result);
    EXPECT_NE(std::string::npos,
              result.tally.remarks.begin()->find("a timer of 10 s, made in Object.acquire"))
        << *result.tally.remarks.begin();
}

}  // namespace
}  // namespace lockkeeper::wire

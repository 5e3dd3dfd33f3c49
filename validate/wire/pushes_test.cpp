// SPDX-License-Identifier: Apache-2.0

// Messages that a server sends unasked, and requests that wait there: each waiter is woken in its
// own step, and whoever listens too late waits for ever.
#include <set>

#include "validate/wire/subscriptions.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string woken_client(const std::string& kind) { return raw_client(kind, "", "woken_lock.py"); }

// The property that is violated; "nothing": none, completely.
std::string found_of_woken(const std::string& kind, const OutsideWorld& world = two_callers(),
                           const WireScope& scope = {}) {
    Held held(woken_client(kind), world, scope, exploring());
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged) << kind;
    if (!result.finding) {
        return result.complete ? "nothing" : "incomplete: " + result.limit;
    }
    return result.finding->property == nullptr ? "misbehaved: " + result.finding->detail
                                               : std::string(result.finding->property->name);
}

TEST(Pushes, AWaiterIsWokenByWhatSomebodyElseSends) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : everyday(2, {"subscribe", "script", "psubscribe", "ssubscribe"})) {
        EXPECT_EQ("nothing", found_of_woken(kind)) << kind;
    }
}

// Before a driver is ready nobody chooses for it; some commands have no answer, others more than
// one within that of their transaction.
TEST(Pushes, AClientListensAndSpeaksAsItLikes) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : everyday(
             2, {"silent_subscribe", "early_subscribe", "multi_subscribe", "piped_subscribe"})) {
        EXPECT_EQ("nothing", found_of_woken(kind)) << kind;
    }
}

TEST(Pushes, WhoeverListensTooLateWaitsForEver) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind :
         everyday(2, {"late_psubscribe", "late_script", "late_subscribe", "late_ssubscribe"})) {
        EXPECT_EQ("deadlock", found_of_woken(kind)) << kind;
    }
}

TEST(Pushes, AClientIsToldThatWhatItHasReadIsAnotherNow) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : {"tracking", "redirect"}) {
        EXPECT_EQ("nothing", found_of_woken(kind)) << kind;
    }
    for (const char* kind : {"late_tracking", "late_redirect"}) {
        EXPECT_EQ("deadlock", found_of_woken(kind)) << kind;
    }
}

TEST(Pushes, AReaderThatWaitsAtTheServerIsWoken) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : everyday(2, {"blpop", "xread", "brpop", "blmove", "bzpopmin"})) {
        EXPECT_EQ("nothing", found_of_woken(kind)) << kind;
    }
}

// A second caller who finds two elements does not show it: three callers, of whom the first has
// released.
TEST(Pushes, ALockThatGivesBackTwoIsHeldTwice) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers();
    world.world.callers.push_back(world.world.callers.back());
    world.world.callers.back().name = "C";
    world.world.callers[1].script.pop_back();
    world.world.callers[2].script.pop_back();
    EXPECT_EQ("over-allocation", found_of_woken("two_blpop", world));
}

TEST(Pushes, AWaitAtTheServerEndsByItsOwnLimit) {
    SKIP_WITHOUT_REDIS();
    // The first one holds for ever.
    const OutsideWorld world = two_callers({Verb::kAcquire});
    EXPECT_EQ("nothing", found_of_woken("gives_up", world));
    EXPECT_EQ("deadlock", found_of_woken("blpop", world));
}

// With one lost connection the reader has to listen again, which these do not.
TEST(Pushes, WhatIsUnderWayIsLostWithTheConnection) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.drops_max = 1;
    scope.splits = true;
    const std::string found = found_of_woken("subscribe", two_callers(), scope);
    EXPECT_NE("nothing", found);
}

// Every end that the full search comes to, the reduced one comes to, too.
std::set<std::string> ends_of(const std::string& kind, bool reduces, const OutsideWorld& world) {
    std::set<std::string> ends;
    OutsideOptions options = exploring();
    options.reduces = reduces;
    options.schedules_max = 1'000'000;
    options.seconds_max = 3'600;
    options.on_outcome = [&](const std::string& outcome) { ends.insert(outcome); };
    Held held(woken_client(kind), world, {}, options);
    const OutsideResult result = held.search->search();
    EXPECT_TRUE(result.complete) << kind << " " << result.limit << result.diverged;
    return ends;
}

TEST(Pushes, NoEndIsLeftOutByTheReductions) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind :
         everyday(2, {"late_subscribe", "late_tracking", "late_script", "brpop"})) {
        EXPECT_EQ(ends_of(kind, false, two_callers_or_less()),
                  ends_of(kind, true, two_callers_or_less()))
            << kind;
    }
}

std::string bulk(const std::string& word) {
    return "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
}

TEST(Subscriptions, CountTheAnswersOfEachCommand) {
    Subscriptions own;
    EXPECT_EQ(2U, own.begin({"SUBSCRIBE", "a", "b"}));
    EXPECT_FALSE(own.take("*3\r\n" + bulk("subscribe") + bulk("a") + ":1\r\n", true));
    EXPECT_FALSE(own.take("*3\r\n" + bulk("subscribe") + bulk("b") + ":2\r\n", true));
    EXPECT_TRUE(own.listen());
    EXPECT_TRUE(own.take("*3\r\n" + bulk("message") + bulk("a") + bulk("x"), false));
    EXPECT_EQ(2U, own.begin({"unsubscribe"}));
    EXPECT_EQ(1U, own.begin({"PUNSUBSCRIBE"}));
    EXPECT_FALSE(own.take("*3\r\n" + bulk("unsubscribe") + bulk("a") + ":1\r\n", true));
    EXPECT_FALSE(own.take("*3\r\n" + bulk("unsubscribe") + bulk("b") + ":0\r\n", true));
    EXPECT_FALSE(own.listen());
}

TEST(Subscriptions, AClientMayAskForNoAnswers) {
    Subscriptions own;
    EXPECT_EQ(0U, own.begin({"CLIENT", "REPLY", "SKIP"}));
    EXPECT_EQ(0U, own.begin({"GET", "a"}));
    EXPECT_EQ(1U, own.begin({"GET", "a"}));
    EXPECT_EQ(0U, own.begin({"CLIENT", "REPLY", "OFF"}));
    EXPECT_EQ(0U, own.begin({"SUBSCRIBE", "a", "b"}));
    EXPECT_EQ(0U, own.begin_many(3));
    EXPECT_EQ(1U, own.begin({"client", "reply", "on"}));
    EXPECT_EQ(3U, own.begin_many(3));
    EXPECT_EQ(0U, own.begin({"CLIENT", "REPLY", "SKIP"}));
    EXPECT_EQ(2U, own.begin_many(3));  // that of MULTI
}

TEST(Subscriptions, ATransactionMayBeginThem) {
    Subscriptions own;
    own.queue();
    EXPECT_EQ(3U, own.begin_many(3));
    EXPECT_FALSE(own.take("+OK\r\n", true));
    EXPECT_FALSE(own.take("*1\r\n*3\r\n" + bulk("subscribe") + bulk("a") + ":1\r\n", true));
    EXPECT_TRUE(own.listen());
    EXPECT_TRUE(own.take("*3\r\n" + bulk("subscribe") + bulk("b") + ":2\r\n", false));
    EXPECT_TRUE(own.take("*3\r\n" + bulk("message") + bulk("b") + bulk("x"), false));
}

TEST(Subscriptions, AListThatLooksLikeAMessageIsAnAnswer) {
    Subscriptions own;
    EXPECT_EQ(1U, own.begin({"LRANGE", "db", "0", "-1"}));
    EXPECT_FALSE(own.take("*3\r\n" + bulk("message") + bulk("a") + bulk("x"), true));
    EXPECT_TRUE(own.take(">2\r\n" + bulk("invalidate") + "*1\r\n" + bulk("db"), true));
}

TEST(Subscriptions, AnErrorIsTheOnlyAnswer) {
    Subscriptions own;
    EXPECT_EQ(2U, own.begin({"SUBSCRIBE", "a", "b"}));
    EXPECT_FALSE(own.take("-NOPERM no\r\n", true));
    EXPECT_TRUE(own.refused("-NOPERM no\r\n"));
    EXPECT_EQ(1U, own.begin({"GET", "a"}));
    EXPECT_FALSE(own.refused("-WRONGTYPE no\r\n"));
}

TEST(Subscriptions, AMessageMeetsWhoeverListensOrMayListen) {
    const auto footprint = [](const std::vector<std::string>& words) {
        return redis_command(words, 0).footprint;
    };
    EXPECT_FALSE(commute(footprint({"PUBLISH", "a", "x"}), footprint({"SUBSCRIBE", "a"})));
    EXPECT_TRUE(commute(footprint({"PUBLISH", "a", "x"}), footprint({"SUBSCRIBE", "b"})));
    EXPECT_FALSE(commute(footprint({"PUBLISH", "a", "x"}), footprint({"PSUBSCRIBE", "b*"})));
    EXPECT_FALSE(commute(footprint({"EVAL", "x", "1", "db"}), footprint({"SUBSCRIBE", "b"})));
    EXPECT_TRUE(commute(footprint({"SUBSCRIBE", "a"}), footprint({"SUBSCRIBE", "a"})));
    EXPECT_FALSE(
        commute(footprint({"SET", "db", "1"}), footprint({"SUBSCRIBE", "__keyspace@0__:db"})));
    EXPECT_FALSE(commute(footprint({"SET", "db", "1"}), footprint({"CLIENT", "TRACKING", "ON"})));
}

}  // namespace
}  // namespace lockkeeper::wire

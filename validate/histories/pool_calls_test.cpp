// SPDX-License-Identifier: Apache-2.0

// Short histories of pools: how an acquire that got nothing ended, cancels, and what is destroyed.
#include "validate/histories/pool_words_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_pools;

// "passed", or why not.
std::string said_of_pool(const std::string& words, const std::string& model = "pool:1") {
    const HistoryCheck check = checked_pool(pool_history(pool_records(words)), model);
    return is<Violated>(check.verdict) ? check.explanations.front().reason
                                       : std::string(name_of(check.verdict));
}
const std::string kPlaceWasFree = "a place was free: the caller should have been served";

TEST(PoolCalls, AnAcquireThatGetsNothingMayTakeAPlaceDuringItsCall) {
    for (const std::string end :
         {"A/broken", "A/cancelled", "A/canceled", "R!A R.A A/reaped", "R^ A/closed"}) {
        EXPECT_EQ(kPassed, said_of_pool("A+ B+ B/full " + end)) << end;
        EXPECT_EQ(kPlaceWasFree, said_of_pool("A+ B+ B/full " + end, "pool:2")) << end;
    }
    // Not after its end, and not for itself.
    EXPECT_EQ(kPlaceWasFree, said_of_pool("A+ A/broken B+ B/full"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool("A+ A/broken C+ B+ B/full C=c1", "pool:2"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool("A+ A/timed"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool("A+ B+ B/full A/timed"));
    // One takes one place.
    EXPECT_EQ(kPassed, said_of_pool("A+ B+ C+ C/full A/broken B/broken", "pool:2"));
    EXPECT_EQ("1 of 1 lent", said_of_pool("A+ B+ B=c1 C+ C=c2 A/broken"));
}

TEST(PoolCalls, ACancelEndsTheAcquiresThatAreOpenAndNoOthers) {
    EXPECT_EQ(kPassed, said_of_pool("A+ R!A A=c1 R.A A-c1 A+ A=c1"));      // too late
    EXPECT_EQ(kPassed, said_of_pool("R!A R.A A+ A=c1"));                   // nobody
    EXPECT_EQ(kPassed, said_of_pool("H+ H=c1 R!A A+ R.A H-c1 A=c1"));      // before the call
    EXPECT_EQ(kPassed, said_of_pool("H+ H=c1 R!A A+ R.A A/reaped H-c1"));  // or during it
    EXPECT_EQ(kPassed, said_of_pool("A+ R!A R.A A/reaped A+ A=c1"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool("A+ R!A R.A A/reaped A+ A/full"));  // the first only
    EXPECT_EQ("the caller was cancelled before", said_of_pool("H+ H=c1 A+ R!A R.A H-c1 A=c1"));
    EXPECT_EQ("the caller was cancelled before",
              said_of_pool("H+ H=c1 A+ R!A R.A R!A H-c1 A=c1 R.A"));
    EXPECT_EQ("it was cancelled, and the caller waits", said_of_pool("H+ H=c1 A+ R!A R.A A?"));
    // One whose end nobody knows: it excuses refusals, but not when it was cancelled before.
    EXPECT_EQ(kPassed, said_of_pool("H+ H=c1 A+ A% H-c1 B+ B/full"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool("H+ H=c1 A+ R!A R.A A% H-c1 B+ B/full"));
}

TEST(PoolCalls, ManyCancelsThatHitNobodyTakeNoRoom) {
    std::string words;
    for (int i = 0; i < 70; ++i) {
        words += "A+ A=c1 A-c1 R!A R.A ";
    }
    EXPECT_EQ(kPassed, said_of_pool(words));
}

TEST(PoolCalls, MoreConnectionsThanTheSearchCanKeepAreNoViolation) {
    std::string words;
    for (int i = 0; i < 65; ++i) {
        words += "A+ A=c" + std::to_string(i) + " ";
    }
    const HistoryCheck check = checked_pool(pool_history(pool_records(words)), "pool:100");
    ASSERT_TRUE(is<Inconclusive>(check.verdict));
    EXPECT_EQ("more than 64 connections at once", check.limit);
    EXPECT_EQ("the search has no room for one more connection", check.explanations.front().reason);
}

// Each of them may have a place or not. Which of them does not matter, but that they end in time.
TEST(PoolCalls, ManyOpeningsBesideARefusalAreLookedAtInFewOrders) {
    constexpr int kOpenings = 30;
    for (const std::string end : {"/broken ", "/closed "}) {
        std::string begin;
        std::string ends = end == "/broken " ? "" : "R^ ";
        for (int i = 0; i < kOpenings; ++i) {
            const std::string caller(1, static_cast<char>(i < 15 ? 'a' + i : 'A' + i - 15));
            begin += caller + "+ ";
            ends += caller + end;
        }
        for (const int places : {kOpenings, kOpenings + 1}) {
            const HistoryCheck check =
                checked_pool(pool_history(pool_records(begin + "Z+ Z/full " + ends)),
                             "pool:" + std::to_string(places));
            EXPECT_EQ(places > kOpenings ? kViolated : kPassed, name_of(check.verdict)) << end;
            EXPECT_GT(20'000U, check.states) << end << places;
        }
    }
}

TEST(PoolCalls, ARefusalBeforeItsTimeOutIsJudgedAtAnyMoment) {
    const std::string words = "A+ A=c1 B* A-c1 ";
    EXPECT_EQ(kPassed, said_of_pool(words + "B/full", "pool:1,error=1"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool("B* B/full", "pool:1,error=1"));
    EXPECT_EQ(kPlaceWasFree, said_of_pool(words + "B/full", "pool:1,error=48"));
}

TEST(PoolCalls, AnIdleConnectionMayBeDestroyedAndIsNotLentAgain) {
    EXPECT_EQ(kPassed, said_of_pool("A+ A=c1 A-c1 R~c1 A+ A=c2"));
    EXPECT_EQ(kPassed, said_of_pool("R~c9 A+ A=c1"));
    EXPECT_EQ("that connection was destroyed before", said_of_pool("A+ A=c1 A-c1 R~c1 A+ A=c1"));
    EXPECT_EQ("2 of 2 lent", said_of_pool("A+ A=c1 B+ B=c2 R~c9 C+ C=c3", "pool:2"));
    EXPECT_EQ("that connection is not lent", said_of_pool("A+ A=c1 A-c1 A-c1"));
}

std::string refusal_of_pool(const std::string& lines, const char* model = "pool:1") {
    const auto checked = check_history(pool_history(lines), model_of(model));
    const auto* error = std::get_if<HistoryError>(&checked);
    return error == nullptr ? "" : error->to_text();
}

TEST(PoolCalls, ACancelAndACloseSayWhoseTheyAre) {
    const std::string nobody = "the cancel's client \"a\" makes no acquire under this key";
    EXPECT_EQ("pool:2:1: " + nobody, refusal_of_pool(pool_records("A+ R!a R.a A=c1")));
    EXPECT_EQ("pool:2:1: " + nobody,
              refusal_of_pool(pool_records("A+ R!a R.a A=c1"), "pool:1,refusals=ignored"));
    EXPECT_EQ("pool:2:1: the cancel's client \"A\" makes no acquire under this key",
              refusal_of_pool(pool_records("A+", "x") + pool_records("R!A R.A", "y")));
    EXPECT_EQ("pool:2:1: a cancel says its \"key\" where other records say one",
              refusal_of_pool(pool_records("A+", "x") + pool_records("R!A R.A")));
    EXPECT_EQ("pool:1:1: a close says its \"key\" where other records say one",
              refusal_of_pool(pool_records("R^") + pool_records("A+ A/closed", "x")));
    EXPECT_EQ("pool:1:1: there is no acquire under the key of this close",
              refusal_of_pool(pool_records("R^", "X") + pool_records("A+ A=c1", "x")));
    EXPECT_EQ("",
              refusal_of_pool(pool_records("A+ R!A R.A R^", "x") + pool_records("B+ B=c1", "y")));
}

TEST(PoolCalls, AfterStillWaitingNothingMoreHappens) {
    const std::string late =
        "comes after the \"still waiting\" of line 4, which says that nothing more happens under "
        "its key";
    const std::string waits = "A+ A=c1 B+ B?";
    EXPECT_EQ("pool:5:1: " + late, refusal_of_pool(pool_records(waits + " A-c1")));
    EXPECT_EQ("pool:5:1: " + late, refusal_of_pool(pool_records(waits + " C+ C?")));
    EXPECT_EQ("pool:5:1: " + late,
              refusal_of_pool(pool_records("C+ A+ A=c1 C? A+ A=c2"), "pool:1,refusals=ignored"));
    EXPECT_EQ("", refusal_of_pool(pool_records("C+ " + waits + " C?")));
    EXPECT_EQ("", refusal_of_pool(pool_records(waits, "x") + pool_records("A+ A=c1", "y")));
    EXPECT_EQ(kPassed, said_of_pool("C+ " + waits + " C?"));
    EXPECT_EQ("a place is free, and the caller waits", said_of_pool("B+ C+ B? C?"));
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Tests how calls and returns are recorded, which model judges them, and that a right lock is not
// accused: leases that end, processes that are gone, answers that leave open what happened.
#include <gtest/gtest.h>

#include "validate/histories/check_history.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using testing_outside::operation;
using testing_outside::pairs;

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;

struct Calls : ::testing::Test {
    OutsideWorld world = [] {
        OutsideWorld two = pairs(2, 1);
        two.world.words = {"renew", "extend"};
        return two;
    }();
    CallHistory calls{world.world, true};
    std::int64_t now = 0;

    [[nodiscard]] static Operation word(std::uint8_t number) {
        Operation out = operation(Verb::kCall);
        out.word = number;
        return out;
    }
    void called(std::size_t caller, const Operation& what, CallHistory::Return with = {}) {
        calls.call(caller, what, true, now);
        calls.end(caller, std::move(with), now);
    }
    void acquires(std::size_t caller, std::optional<std::int64_t> lasts = {},
                  std::optional<std::int64_t> token = {}) {
        called(caller, operation(Verb::kAcquire), {.lasts = lasts, .token = token});
    }
    void releases(std::size_t caller) { called(caller, operation(Verb::kRelease)); }
    void renews(std::size_t caller, std::int64_t lasts, std::uint8_t number = 0) {
        called(caller, word(number), {.lasts = lasts, .renews = true});
    }
    // By the model that is chosen; then as a file that is read back.
    [[nodiscard]] bool is_explained() {
        const bool explained = calls.is_explained(true);
        const JudgedCalls judged = calls.recorded();
        EXPECT_EQ(explained, judged.reason.empty()) << judged.reason;
        const ReadHistory read = parse_history(write_history(judged.history), "calls");
        EXPECT_TRUE(std::holds_alternative<RecordedHistory>(read));
        if (judged.model.empty()) {
            return explained;
        }
        const auto checked = check_history(std::get<RecordedHistory>(read),
                                           std::get<ModelChoice>(parse_model(judged.model)));
        const auto* check = std::get_if<HistoryCheck>(&checked);
        EXPECT_NE(nullptr, check) << std::get<HistoryError>(checked).to_text();
        EXPECT_EQ(explained, !is<Violated>(check->verdict)) << write_history(judged.history);
        return explained;
    }
};

TEST_F(Calls, ofTwoThatHoldAtOnceNoOrderIsFound) {
    acquires(kA);
    EXPECT_TRUE(is_explained());
    acquires(kB);
    EXPECT_EQ("reentrant-mutex", calls.model());
    EXPECT_FALSE(is_explained());
    EXPECT_NE(std::string::npos, calls.recorded().reason.find("key db: it is held by another"))
        << calls.recorded().reason;
    calls.begin();
    acquires(kB);
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, aHolderMayAcquireAgain) {
    acquires(kA);
    called(kA, operation(Verb::kAcquire), {.again = true});
    releases(kA);
    EXPECT_TRUE(is_explained());
    acquires(kB);
    EXPECT_FALSE(is_explained());
}

TEST_F(Calls, aReleaseThatHasBegunMayHaveHappened) {
    acquires(kA);
    calls.call(kA, operation(Verb::kRelease), true, now);
    acquires(kB);
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, aLeaseThatIsOverIsTakenOver) {
    acquires(kA, 10);
    now = 10;
    acquires(kB, 10);
    EXPECT_EQ("lease", calls.model());
    EXPECT_TRUE(is_explained());
    releases(kB);
    acquires(kA, 10);
    now = 19;
    acquires(kB, 10);
    EXPECT_FALSE(is_explained());
}

// Its end is counted from the return, however long the call took.
TEST_F(Calls, aReplyThatTookLongMakesNoLeaseLonger) {
    calls.call(kA, operation(Verb::kAcquire), false, 0);
    acquires(kB, 10);
    now = 10;
    calls.end(kA, {.lasts = 10}, now);
    now = 20;
    acquires(kB, 10);
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, aGrantThatIsOverWhenItReturnsHoldsNobodyUp) {
    calls.call(kA, operation(Verb::kAcquire), false, 0);
    now = 10;
    acquires(kB, 10);
    calls.end(kA, {.lasts = -5}, now);
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, aRenewalIsOfALeaseThatNobodyHasTakenOver) {
    acquires(kA, 10);
    now = 12;
    renews(kA, 10);
    EXPECT_TRUE(is_explained());
    now = 23;
    acquires(kB, 10);
    releases(kB);
    EXPECT_TRUE(is_explained());
    renews(kA, 10, 1);
    EXPECT_FALSE(is_explained());
    EXPECT_EQ("renew", calls.recorded().history.records.back().f);
    EXPECT_EQ("{call: extend, ttl: 10}", calls.recorded().history.records.back().value.to_text());
}

TEST_F(Calls, whoIsToldThatTheLeaseIsLostHoldsNoLonger) {
    acquires(kA, 10);
    called(kA, word(0), {.type = HistoryType::kFail, .error = "lost", .loses = true});
    acquires(kB, 10);
    EXPECT_TRUE(is_explained());
    acquires(kA, 10);
    EXPECT_FALSE(is_explained());
}

TEST_F(Calls, aReleaseThatIsToldSoMayHaveBeenLostAtAnyTime) {
    acquires(kA);
    called(kA, operation(Verb::kRelease), {HistoryType::kInfo, "lost"});
    acquires(kB);
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, anAnswerThatLeavesItOpenMayMeanBoth) {
    called(kA, operation(Verb::kAcquire), {HistoryType::kInfo, "connection lost"});
    acquires(kB);
    releases(kB);
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, whoIsGoneHoldsNoLonger) {
    acquires(kA);
    calls.call(kA, operation(Verb::kRelease), true, now);
    calls.gone(kA, now);
    acquires(kB);
    EXPECT_TRUE(is_explained());
    acquires(kA);
    EXPECT_FALSE(is_explained());
    const RecordedHistory history = calls.recorded().history;
    std::string text;
    for (const Record& record : history.records) {
        text += record.process + " " + record.f + " " + std::string(name_of(record.type)) + ", ";
    }
    EXPECT_EQ(
        "A1 acquire invoke, A1 acquire ok, A1 release invoke, A1 release info, A1 exit invoke, "
        "A2 acquire invoke, A2 acquire ok, A1/2 acquire invoke, A1/2 acquire ok, ",
        text);
}

TEST_F(Calls, tokensRiseWhereTheyHaveTo) {
    acquires(kA, 10, 7);
    releases(kA);
    acquires(kB, 10, 7);
    EXPECT_EQ("fenced-lease", calls.model());
    EXPECT_FALSE(is_explained());
    CallHistory careless(world.world, false);
    for (const std::size_t caller : {kA, kB}) {
        careless.call(caller, operation(Verb::kAcquire), false, 0);
        careless.end(caller, {.token = 7}, 0);
        careless.call(caller, operation(Verb::kRelease), true, 0);
        careless.end(caller, {}, 0);
    }
    EXPECT_TRUE(careless.is_explained(true));
    calls.begin();
    acquires(kA, {}, -3);  // is no token
    releases(kA);
    acquires(kB, {}, -3);
    EXPECT_EQ("reentrant-mutex", calls.model());
    EXPECT_TRUE(is_explained());
}

// Whatever it is: some tokens may be those of other grants.
TEST_F(Calls, tokensThatNotEveryGrantHasNeedNotRise) {
    acquires(kA, {}, 1);
    releases(kA);
    acquires(kB);
    releases(kB);
    acquires(kA, {}, 2);
    EXPECT_EQ("reentrant-mutex", calls.model());
    EXPECT_TRUE(is_explained());
}

TEST_F(Calls, aReleaseOfWhatNobodyHoldsSaysNothing) {
    calls.call(kA, operation(Verb::kRelease), false, now);
    calls.end(kA, {}, now);
    acquires(kB);
    EXPECT_TRUE(is_explained());
    EXPECT_EQ(2U, calls.recorded().history.records.size());
}

TEST_F(Calls, asManyMayHoldAsThereArePlaces) {
    const auto two = operation(Verb::kAcquire, 1, 2);
    called(kA, two);
    called(kB, two);
    EXPECT_EQ("resizable-semaphore", calls.model());
    EXPECT_TRUE(is_explained());
    called(kA, two, {.again = true});
    EXPECT_FALSE(is_explained());
}

TEST_F(Calls, whatNoModelFitsIsNotJudged) {
    acquires(kA, 10);
    called(kA, operation(Verb::kAcquire), {.lasts = 10, .again = true});
    releases(kA);
    releases(kA);
    EXPECT_EQ("", calls.model());
    EXPECT_TRUE(is_explained());
}

// Calls that no model knows, and renewals of locks without an end.
TEST_F(Calls, whatNoModelKnowsIsLeftOut) {
    acquires(kA);
    called(kA, word(1));
    called(kA, word(0), {HistoryType::kInfo, "what?"});
    EXPECT_TRUE(is_explained());
    EXPECT_EQ(2U, calls.recorded().history.records.size());
}

TEST_F(Calls, aLongHistoryIsJudgedNowAndThenAndAtItsEnd) {
    for (int i = 0; i < 40; ++i) {
        acquires(kA);
        releases(kA);
        EXPECT_TRUE(calls.is_explained(false));
    }
    acquires(kA);
    acquires(kB);
    EXPECT_TRUE(calls.is_explained(false));
    EXPECT_FALSE(calls.is_explained(true));
    EXPECT_FALSE(calls.is_explained(false));
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// An exit ends holds: whose, of which keys, and how many where nobody knows who holds. Also tokens
// that are said late, and what a report says about holders.
#include <gtest/gtest.h>

#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using testing_histories::kPassed;
using testing_histories::kViolated;

// "0 acquire ok" and so on: process, operation, end ("-": none), and perhaps a value, as JSON.
RecordedHistory history_of(const std::vector<std::string>& calls) {
    std::string text;
    for (const std::string& call : calls) {
        std::vector<std::string> words;
        for (std::size_t begin = 0; words.size() < 4 && begin < call.size();) {
            const std::size_t end =
                words.size() == 3 ? call.size() : std::min(call.find(' ', begin), call.size());
            words.push_back(call.substr(begin, end - begin));
            begin = end + 1;
        }
        const std::string rest = R"(","process":")" + words[0] + R"(","f":")" + words[1] + "\"" +
                                 (words.size() > 3 ? "," + words[3] : "") + "}\n";
        text += R"({"type":"invoke)" + rest;
        text += words[2] == "-" ? "" : R"({"type":")" + words[2] + rest;
    }
    return std::get<RecordedHistory>(parse_history(text, "h"));
}

HistoryCheck checked(const std::string& model, const std::vector<std::string>& calls) {
    return std::get<HistoryCheck>(
        check_history(history_of(calls), testing_histories::model_of(model)));
}
std::string_view verdict(const std::string& model, const std::vector<std::string>& calls) {
    return name_of(checked(model, calls).verdict);
}

TEST(Exits, OfWhoseHoldAnotherHasReleasedGiveBackNothing) {
    EXPECT_EQ(kPassed, verdict("mutex", {"0 acquire ok", "1 release ok", "0 exit ok"}));
    EXPECT_EQ(kPassed, verdict("semaphore:2", {"0 acquire ok", "0 acquire ok", "1 release ok",
                                               "0 exit ok", "1 acquire ok", "1 acquire ok"}));
}

// Documented: who releases is not asked, so nobody can say whose hold the exit frees.
TEST(Exits, MayFreeWhoeverHoldsAfterAReleaseByAnother) {
    EXPECT_EQ(kPassed, verdict("mutex", {"0 acquire ok", "1 release ok", "1 acquire ok", "0 exit -",
                                         "2 acquire ok"}));
    EXPECT_EQ(kViolated, verdict("mutex", {"0 acquire ok", "0 release ok", "1 acquire ok",
                                           "0 exit -", "2 acquire ok"}));
}

TEST(Exits, GiveBackWhatMayHaveBeenAcquired) {
    EXPECT_EQ(kPassed, verdict("mutex:refusals=judged",
                               {"0 acquire info", "1 acquire fail", "0 exit ok", "2 acquire ok"}));
    EXPECT_EQ(kViolated, verdict("mutex:refusals=judged",
                                 {"0 acquire info", "1 acquire fail", "2 acquire ok"}));
}

TEST(Exits, GiveBackAllOrAPartOrNothing) {
    const std::vector<std::string> begin{"0 acquire ok \"value\":3", "0 exit ok"};
    const auto then = [&](std::vector<std::string> calls) {
        calls.insert(calls.begin(), begin.begin(), begin.end());
        return verdict("semaphore:3,refusals=judged", calls);
    };
    EXPECT_EQ(kPassed, then({"1 acquire ok \"value\":3"}));
    EXPECT_EQ(kPassed, then({"1 acquire fail"}));
    EXPECT_EQ(kPassed, then({"1 acquire ok", "1 acquire fail"}));
    EXPECT_EQ(kViolated, then({"1 acquire ok", "1 acquire fail", "1 acquire ok"}));
    EXPECT_EQ(kViolated, then({"1 acquire fail", "1 acquire ok"}));
}

TEST(Exits, LeaveTheLadderWithoutAViolationThatTheModelDoesNotSee) {
    const HistoryCheck check =
        checked("mutex", {"0 acquire info", "1 acquire ok", "0 exit ok", "2 acquire ok"});
    EXPECT_TRUE(is<Passed>(check.verdict));
    EXPECT_EQ(0, check.ladder[1].excess);
}

const std::string kFirst = R"("key":"k","value":{"client":"c1"})";
const std::string kSecond = R"("key":"k","value":{"client":"c2"})";

TEST(Exits, WithoutAKeyEndWhatTheNamedClientHolds) {
    EXPECT_EQ(kPassed, verdict("owner-aware-mutex",
                               {"0 acquire ok " + kFirst, R"(0 exit ok "value":{"client":"c1"})",
                                "1 acquire ok " + kSecond}));
    EXPECT_EQ(kViolated, verdict("owner-aware-mutex",
                                 {"0 acquire ok " + kFirst, R"(0 exit ok "value":{"client":"c3"})",
                                  "1 acquire ok " + kSecond}));
}

TEST(Exits, WithoutAClientEndWhatAllClientsOfTheProcessHold) {
    for (const char* key : {"", R"( "key":"k")"}) {
        EXPECT_EQ(kPassed, verdict("owner-aware-mutex",
                                   {"0 acquire ok " + kFirst, std::string("0 exit ok") + key,
                                    "1 acquire ok " + kSecond}));
        EXPECT_EQ(kPassed,
                  verdict("read-write-lock",
                          {R"(0 acquire ok "key":"k","value":{"client":"c1","mode":"read"})",
                           R"(0 acquire ok "key":"k","value":{"client":"c2","mode":"read"})",
                           std::string("0 exit ok") + key,
                           R"(1 acquire ok "key":"k","value":{"client":"c3","mode":"write"})"}));
        EXPECT_EQ(kViolated, verdict("owner-aware-mutex",
                                     {"0 acquire ok " + kFirst, std::string("1 exit ok") + key,
                                      "1 acquire ok " + kSecond}));
    }
}

// The exit of one process is two operations that return together.
TEST(Exits, OfSeveralClientsAreNotMixedUpWithWhatElseReturns) {
    const std::string value = R"("value":{"mode":"read","client":"c)";
    RecordedHistory history =
        history_of({"0 acquire ok " + value + "1\"}", "0 acquire ok " + value + "2\"}", "0 exit ok",
                    "1 acquire ok \"value\":\"write\"", "1 release ok \"value\":\"write\""});
    // The writer's acquire is invoked before the exit returns.
    std::swap(history.records[5], history.records[6]);
    const auto check = check_history(history, testing_histories::model_of("read-write-lock"));
    EXPECT_TRUE(is<Passed>(std::get<HistoryCheck>(check).verdict));
}

TEST(LateTokens, BelongToTheHoldWhoeverOfItsAcquiresSaysThem) {
    const std::vector<std::string> releases{"0 release ok", "0 release ok"};
    const auto with = [&](std::vector<std::string> calls) {
        calls.insert(calls.end(), releases.begin(), releases.end());
        return verdict("reentrant-fenced-mutex", calls);
    };
    EXPECT_EQ(kPassed, with({"0 acquire ok", "0 acquire ok \"value\":9"}));
    EXPECT_EQ(kPassed, with({"0 acquire ok \"value\":9", "0 acquire ok"}));
    EXPECT_EQ(kViolated, with({"0 acquire ok \"value\":8", "0 acquire ok \"value\":9"}));
    EXPECT_EQ(kViolated, with({"1 acquire ok \"value\":9", "1 release ok", "0 acquire ok",
                               "0 acquire ok \"value\":9"}));
    EXPECT_EQ(kViolated, with({"0 acquire ok", "0 acquire ok \"value\":9",
                               "0 acquire ok \"value\":10", "0 release ok"}));
}

TEST(LateTokens, RaiseTheLeastThatTheNextHoldGets) {
    const std::vector<std::string> first{"0 acquire ok", "0 acquire ok \"value\":9", "0 release ok",
                                         "0 release ok"};
    const auto then = [&](const std::string& call) {
        std::vector<std::string> calls = first;
        calls.push_back(call);
        return verdict("reentrant-fenced-mutex", calls);
    };
    EXPECT_EQ(kPassed, then("1 acquire ok \"value\":10"));
    EXPECT_EQ(kViolated, then("1 acquire ok \"value\":5"));
}

// The rung looks at tokens only, and cannot know which acquires are of one hold.
TEST(LateTokens, OfRepeatedAcquiresDoNotCountTheTokensUpForTheFencedRung) {
    const HistoryCheck check =
        checked("reentrant-fenced-mutex",
                {"0 acquire ok \"value\":5", "0 acquire ok", "0 acquire ok \"value\":5",
                 "0 write ok \"value\":5", "1 release ok"});
    EXPECT_EQ("fenced", check.ladder[4].name);
    EXPECT_TRUE(check.ladder[4].is_satisfied()) << check.ladder[4].detail;
}

std::string holders(const std::string& model, const std::vector<std::string>& calls) {
    return checked(model, calls).explanations.at(0).holders;
}

TEST(Holders, AreCountedInPermits) {
    EXPECT_EQ("0 (line 1, 1 of 2 left)",
              holders("semaphore:2",
                      {"0 acquire ok \"value\":2", "0 release ok", "1 acquire ok \"value\":2"}));
    EXPECT_EQ("1 (line 3)", holders("semaphore:2", {"0 acquire ok", "1 acquire ok", "2 release ok",
                                                    "1 acquire ok \"value\":2"}));
}

TEST(Holders, AreNobodyWhereMoreIsReleasedThanIsHeld) {
    EXPECT_EQ("nobody", holders("mutex", {"0 acquire ok", "0 release ok", "1 release ok"}));
    EXPECT_EQ("nobody", holders("semaphore:2", {"0 release ok \"value\":0", "1 release ok"}));
}

}  // namespace
}  // namespace lockkeeper

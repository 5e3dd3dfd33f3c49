// SPDX-License-Identifier: Apache-2.0

// The rules of leases, tokens and the names of owners, one after another.
#include <gtest/gtest.h>

#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using testing_histories::kPassed;
using testing_histories::kViolated;

struct Call {
    const char* process;
    const char* f;
    std::int64_t from;
    std::int64_t to;            // below 0: no end is recorded
    const char* called = "";    // value, as JSON
    const char* returned = "";  // value
    const char* end = "ok";
};

std::string line(const Call& call, const std::string& type, std::int64_t time,
                 const std::string& value) {
    return R"({"process":")" + std::string(call.process) + R"(","type":")" + type + R"(","f":")" +
           call.f + R"(","time":)" + std::to_string(time) +
           (value.empty() ? "" : ",\"value\":" + value) + "}\n";
}

HistoryCheck checked(const std::string& model, const std::vector<Call>& calls) {
    std::string text;
    for (const Call& call : calls) {
        text += line(call, "invoke", call.from, call.called);
        text += call.to < 0 ? "" : line(call, call.end, call.to, call.returned);
    }
    auto history = std::get<RecordedHistory>(parse_history(text, "h"));
    const auto check = check_history(history, testing_histories::model_of(model));
    const auto* error = std::get_if<HistoryError>(&check);
    EXPECT_EQ(nullptr, error) << error->to_text();
    return std::get<HistoryCheck>(check);
}
std::string_view verdict(const std::string& model, const std::vector<Call>& calls) {
    return name_of(checked(model, calls).verdict);
}
std::string reason(const std::string& model, const std::vector<Call>& calls) {
    const HistoryCheck check = checked(model, calls);
    return check.explanations.empty() ? "" : check.explanations[0].reason;
}

TEST(Lease, TheOwnerMayAcquireAgainAndItRunsFromThen) {
    const std::vector<Call> again{{"a", "acquire", 0, 1}, {"a", "acquire", 5, 6}};
    EXPECT_EQ(kPassed, verdict("lease:ttl=10", again));
    auto taken = again;
    taken.push_back({"b", "acquire", 11, 14});
    EXPECT_EQ(kViolated, verdict("lease:ttl=10", taken));
    taken.back().to = 15;
    EXPECT_EQ(kPassed, verdict("lease:ttl=10", taken));
}

TEST(Lease, ARenewalThatShortensCounts) {
    const std::vector<Call> calls{{"a", "acquire", 0, 1, R"({"ttl":100})"},
                                  {"a", "renew", 5, 6, R"({"ttl":10})"},
                                  {"b", "acquire", 12, 15}};
    EXPECT_EQ(kPassed, verdict("lease:ttl=50", calls));
    auto longer = calls;
    longer[1].called = R"({"ttl":11})";
    EXPECT_EQ(kViolated, verdict("lease:ttl=50", longer));
}

TEST(Lease, ARefusalNeedsALeaseThatMayStillRun) {
    const std::vector<Call> calls{{"a", "acquire", 0, 2}, {"b", "acquire", 14, 16, "", "", "fail"}};
    const char* const judged = "lease:ttl=10,error=1,refusals=judged";
    EXPECT_EQ(kPassed, verdict("lease:ttl=10,error=1", calls));
    EXPECT_EQ(kViolated, verdict(judged, calls));
    EXPECT_EQ("there was room: it should have been granted", reason(judged, calls));
    auto soon = calls;
    soon[1].from = 13;  // granted at 2 by a clock that is slow by 1
    EXPECT_EQ(kPassed, verdict(judged, soon));
    // One who is refused has to say why also before anything was granted, and after a release.
    EXPECT_EQ(kViolated, verdict(judged, {{"b", "acquire", 1, 2, "", "", "fail"}}));
    EXPECT_EQ(kViolated, verdict(judged, {{"a", "acquire", 0, 1},
                                          {"a", "release", 2, 3},
                                          {"b", "acquire", 4, 5, "", "", "fail"}}));
    EXPECT_EQ(kPassed,
              verdict(judged, {{"a", "acquire", 0, 1}, {"a", "acquire", 4, 5, "", "", "fail"}}));
}

// A grant late enough for a refusal to be right is not early enough for the next grant as well.
TEST(Lease, ARefusalMovesTheGrantToWhereItCanHaveBeen) {
    const char* const judged = "lease:ttl=10,refusals=judged";
    const Call granted{"a", "acquire", 0, 10};
    const Call refused{"b", "acquire", 18, 18, "", "", "fail"};
    EXPECT_EQ(kPassed, verdict(judged, {granted, refused}));
    EXPECT_EQ(kPassed, verdict(judged, {granted, refused, {"b", "acquire", 18, 18}}));
    EXPECT_EQ(kViolated, verdict(judged, {granted,
                                          {"a", "write", 10, 10},
                                          refused,
                                          {"a", "renew", 18, 18, R"({"ttl":1})"},
                                          {"b", "acquire", 18, 18}}));
    // A write that returned at 7 bounds the grant, if it came after it.
    const Call early{"a", "acquire", 0, 7};
    EXPECT_EQ(kViolated, verdict(judged, {early, refused}));
    EXPECT_EQ(kPassed, verdict(judged, {early, {"b", "acquire", 17, 18, "", "", "fail"}}));
}

TEST(FencedLease, HasLeaseAndTokensTogether) {
    const std::vector<Call> calls{{"a", "acquire", 0, 1, "", R"({"token":1})"},
                                  {"b", "acquire", 12, 13, "", R"({"token":2})"},
                                  {"b", "write", 14, 15, "2"}};
    EXPECT_EQ(kPassed, verdict("fenced-lease:ttl=10", calls));
    EXPECT_EQ(kViolated, verdict("fenced-lease:ttl=20", calls));
    auto stale = calls;
    stale.push_back({"a", "write", 16, 17, "1"});
    EXPECT_EQ("an effect with the higher token 2 was taken before",
              reason("fenced-lease:ttl=10", stale));
    auto twice = calls;
    twice[1].returned = R"({"token":1})";
    EXPECT_EQ("the token 1 was granted before", reason("fenced-lease:ttl=10", twice));
    auto again = calls;
    again[1].process = "a";
    EXPECT_EQ(kPassed, verdict("fenced-lease:ttl=20", again));
    again[1].returned = R"({"token":1})";
    again[2].called = "1";
    EXPECT_EQ(kPassed, verdict("fenced-lease:ttl=20", again));
}

TEST(Tokens, AnEffectNeedsATokenThatWasGrantedBefore) {
    const std::vector<Call> calls{{"a", "acquire", 0, 1, "", "3"}, {"a", "write", 2, 3, "3"}};
    for (const char* model :
         {"fenced-mutex", "reentrant-fenced-mutex", "fenced-resource", "fenced-lease:ttl=9"}) {
        EXPECT_EQ(kPassed, verdict(model, calls)) << model;
        auto never = calls;
        never[1].called = "4";
        EXPECT_EQ("the token 4 was never granted", reason(model, never)) << model;
        never[1].called = "2";
        EXPECT_EQ("the token 2 was never granted", reason(model, never)) << model;
        const std::vector<Call> before{{"a", "write", 0, 1, "3"}, {"a", "acquire", 2, 3, "", "3"}};
        EXPECT_EQ("the token 3 was not granted before", reason(model, before)) << model;
        EXPECT_EQ(kViolated, verdict(model, {{"a", "write", 0, 1, "0"}})) << model;
        // It may be the token of a grant whose token nobody has said.
        const std::vector<Call> unsaid{{"a", "acquire", 0, -1}, {"b", "write", 2, 3, "4"}};
        EXPECT_EQ(kPassed, verdict(model, unsaid)) << model;
    }
}

TEST(Tokens, TheInvalidOneIsNone) {
    const std::vector<Call> calls{{"a", "acquire", 0, 1, "", R"({"fence":0})"},
                                  {"a", "release", 2, 3},
                                  {"b", "acquire", 4, 5, "", R"({"fence":0})"}};
    EXPECT_EQ(kViolated, verdict("fenced-mutex", calls));
    EXPECT_EQ(kPassed, verdict("fenced-mutex:invalid=0", calls));
    EXPECT_EQ(kViolated, verdict("fenced-mutex:invalid=7", calls));
    auto effect = calls;
    effect.push_back({"b", "write", 6, 7, R"({"fence":0})"});
    EXPECT_EQ("the effect has the token that says that there is none",
              reason("fenced-mutex:invalid=0", effect));
    auto below = calls;
    below[0].returned = below[2].returned = R"({"fence":-1})";
    EXPECT_EQ(kPassed, verdict("fenced-mutex:invalid=-1", below));
}

// A grant that says that it has no token takes none from those after it: there is no whole number
// between 1 and 2.
TEST(Tokens, AfterAGrantWithTheInvalidOneTheNextIsFree) {
    std::vector<Call> calls{{"a", "acquire", 0, 1, "", R"({"fence":1})"},
                            {"a", "release", 2, 3},
                            {"b", "acquire", 4, 5, "", R"({"fence":0})"},
                            {"b", "release", 6, 7},
                            {"c", "acquire", 8, 9, "", R"({"fence":2})"}};
    for (const char* model : {"fenced-mutex:invalid=0", "reentrant-fenced-mutex:invalid=0",
                              "fenced-resource:invalid=0", "fenced-lease:ttl=1,invalid=0"}) {
        EXPECT_EQ(kPassed, verdict(model, calls)) << model;
        auto same = calls;
        same[4].returned = R"({"fence":1})";
        EXPECT_EQ(kViolated, verdict(model, same)) << model;
    }
}

// The token that a grant without one is taken to have had is in no record.
TEST(Tokens, TheReasonNamesNoTokenThatNobodyHas) {
    const std::vector<Call> calls{{"a", "acquire", 0, 1, "", R"({"fence":1})"},
                                  {"a", "release", 2, 3},
                                  {"b", "acquire", 4, 5},
                                  {"b", "release", 6, 7},
                                  {"c", "acquire", 8, 9, "", R"({"fence":2})"}};
    for (const char* model : {"fenced-mutex", "fenced-resource", "fenced-lease:ttl=1"}) {
        EXPECT_EQ(
            "the token is below 3, the least that is possible after the grants before, some of "
            "whose tokens are not known",
            reason(model, calls))
            << model;
    }
}

TEST(Owners, AClientThatOnlyTheReturnNamesIsThatOfAllCallsOfItsProcess) {
    const char* const client = R"({"client":"c1"})";
    const std::vector<Call> calls{{"0", "acquire", 0, 1, "", client},
                                  {"0", "release", 2, 3, "", "", "info"},
                                  {"1", "acquire", 4, 5, "", R"({"client":"c2"})"}};
    EXPECT_EQ(kPassed, verdict("owner-aware-mutex", calls));
    EXPECT_EQ(kPassed, verdict("owner-aware-mutex", {calls[0], {"0", "release", 2, 3}}));
    // One that is named only later, and one that the info itself names.
    EXPECT_EQ(kPassed, verdict("owner-aware-mutex",
                               {{"0", "acquire", 0, 1}, {"0", "release", 2, 3, "", client}}));
    EXPECT_EQ(kPassed, verdict("owner-aware-mutex", {{"0", "acquire", 0, 1, "", client, "info"},
                                                     {"7", "release", 2, 3, client}}));
    // Another's is not given back.
    EXPECT_EQ(kViolated,
              verdict("owner-aware-mutex", {calls[0], {"1", "release", 2, 3}, calls[2]}));
}

TEST(Owners, ATextThatIsTheWholeValueOfACallIsWhoCalls) {
    const char* const c1 = R"("c1")";
    const char* const c2 = R"("c2")";
    for (const char* model : {"fenced-mutex", "fenced-mutex:invalid=0", "reentrant-fenced-mutex"}) {
        // After info another process goes on under the name.
        const std::vector<Call> calls{{"0", "acquire", 0, 1, c1, "", "info"},
                                      {"5", "release", 2, 3, c1, c1},
                                      {"1", "acquire", 4, 5, c2, R"({"client":"c2","fence":9})"}};
        EXPECT_EQ(kPassed, verdict(model, calls)) << model;
        // A text that two processes use at once is nobody's name: that of the lock, perhaps.
        EXPECT_EQ(kViolated, verdict(model, {{"0", "acquire", 0, 1, R"("db")"},
                                             {"1", "acquire", 2, 3, R"("db")"}}))
            << model;
    }
    // Hazelcast's: every call of one kind has the same uid, which the return gives to a client.
    const std::vector<Call> uids{
        {"0", "acquire", 0, 1, R"("u1")", R"({"client":"n1","fence":1,"uid":"u1"})"},
        {"0", "release", 2, 3, R"("u2")", "", "info"},
        {"1", "acquire", 4, 5, R"("u1")", R"({"client":"n2","fence":2,"uid":"u1"})"},
        {"1", "release", 6, 7, R"("u2")", R"({"client":"n2","fence":0,"uid":"u2"})"}};
    EXPECT_EQ(kPassed, verdict("fenced-mutex:invalid=0", uids));
    EXPECT_EQ(kPassed, verdict("semaphore:1", uids));
    auto wrong = uids;
    wrong[1] = {"1", "release", 2, 3, R"("u2")", "", "info"};
    EXPECT_EQ(kViolated, verdict("fenced-mutex:invalid=0", {wrong[0], wrong[1], wrong[2]}));
}

}  // namespace
}  // namespace lockkeeper

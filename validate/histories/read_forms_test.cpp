// SPDX-License-Identifier: Apache-2.0

// Other forms of logs: whole operations on a line, Jepsen's history.txt.
#include <gtest/gtest.h>

#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/histories/refusal_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

RecordedHistory ordered(const std::string& text) {
    auto read = parse_history(text, "h");
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        ADD_FAILURE() << error->to_text();
        return {};
    }
    auto history = std::get<RecordedHistory>(std::move(read));
    const auto error = order_records(history, {});
    EXPECT_FALSE(error) << error->to_text();
    return history;
}
std::string_view verdict_of(const RecordedHistory& history, const char* model) {
    return name_of(std::get<HistoryCheck>(check_history(history, model_of(model))).verdict);
}

std::string whole(int process, const char* f, int start, const std::string& end,
                  const char* type = "ok") {
    return R"({"process":)" + std::to_string(process) + R"(,"type":")" + type + R"(","f":")" + f +
           R"(","start":)" + std::to_string(start) + (end.empty() ? "" : ",\"end\":" + end) + "}\n";
}

// A log has the line of an operation when it has returned, or in any other order.
TEST(WholeOperations, AreSortedByTheirTimes) {
    const std::string turns = whole(1, "acquire", 25, "40") + whole(0, "release", 20, "30") +
                              whole(0, "acquire", 0, "10");
    const RecordedHistory history = ordered(turns);
    EXPECT_EQ(6U, history.records.size());
    EXPECT_EQ(kPassed, verdict_of(history, "mutex"));
    const std::string both = whole(1, "acquire", 12, "15") + whole(0, "release", 20, "30") +
                             whole(0, "acquire", 0, "10");
    EXPECT_EQ(kViolated, verdict_of(ordered(both), "mutex"));
    // The same in EDN, and of an operation of which nobody knows the end.
    EXPECT_EQ(kPassed, verdict_of(ordered("{:process 0 :type :ok :f :acquire :start 1 :end 2}"
                                          "{:process 1 :type :info :f :acquire :start 3}"
                                          "{:process 0 :type :ok :f :release :start 4 :end 5}"),
                                  "owner-aware-mutex"));
}

TEST(WholeOperations, SayWhatIsMissingInThem) {
    EXPECT_EQ("h:1:1: no \"end\", which only an operation that ended with info may lack",
              refusal_of(whole(0, "acquire", 1, "")));
    EXPECT_TRUE(refusal_of(whole(0, "acquire", 5, "4")).ends_with("\"end\" is before \"start\""));
    EXPECT_TRUE(refusal_of(whole(0, "acquire", 5, "6", "invoke"))
                    .ends_with("\"type\" is ok, fail or info"));
    EXPECT_EQ("h:2:1: some records are whole operations (\"start\" and \"end\"), others are not",
              refusal_of(whole(0, "acquire", 5, "6") +
                         R"({"process":0,"type":"invoke","f":"release","time":7})"));
}

constexpr const char* kText =
    "0\t:invoke\t:acquire\tnil\n"
    ":nemesis\t:info\t:start\tnil\n"
    "1\t:invoke\t:acquire\tnil\n"
    "0\t:ok\t:acquire\t{:token 7}\n"
    "1\t:fail\t:acquire\tnil\t:timed-out\tindeed\n"
    "0\t:invoke\t:write\t{:token 7}\r\n"
    "0\t:ok\t:write\t{:token 7}\r\n";

TEST(JepsenText, IsReadInTheOrderOfItsLines) {
    const RecordedHistory history = ordered(kText);
    ASSERT_EQ(6U, history.records.size());
    EXPECT_EQ(1U, history.nemesis_records);
    EXPECT_EQ("{token: 7}", history.records[2].value.to_text());
    EXPECT_EQ(":timed-out\tindeed", history.records[3].error);
    EXPECT_EQ(5U, history.records[3].line);
    EXPECT_EQ(kPassed, verdict_of(history, "fenced-mutex"));
    // A key in a tuple, as in independent tests; a violation.
    const std::string keyed =
        "0\t:invoke\t:acquire\t[5 nil]\n0\t:ok\t:acquire\t[5 nil]\n"
        "1\t:invoke\t:acquire\t[5 nil]\n1\t:ok\t:acquire\t[5 nil]\n";
    EXPECT_EQ("5", ordered(keyed).records[0].key);
    EXPECT_EQ(kViolated, verdict_of(ordered(keyed), "mutex"));
}

TEST(JepsenText, IsRefusedAtThePlaceOfWhatIsWrong) {
    const std::string first = "0\t:invoke\t:acquire\tnil\n";
    EXPECT_EQ("h:2:1: expected process, type, f and value with tabs between them",
              refusal_of(first + "0 :ok :acquire nil\n"));
    EXPECT_EQ("h:2:3: \"type\" is invoke, ok, fail or info, not \"done\"",
              refusal_of(first + "0\t:done\t:acquire\tnil\n"));
    EXPECT_TRUE(refusal_of(first + "0\t:ok\t:acquire\t{:token 010}\n")
                    .starts_with("h:2:24: a number that begins with 0 (010)"));
    EXPECT_TRUE(refusal_of(first + "0\t:ok\t:acquire\t{:token\n").starts_with("h:2:"));
    EXPECT_EQ("h:2:18: something stands behind the value",
              refusal_of(first + "0\t:ok\t:acquire\t1 2\n").substr(0, 44));
}

}  // namespace
}  // namespace lockkeeper

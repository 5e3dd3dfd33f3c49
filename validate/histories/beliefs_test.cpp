// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/beliefs.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

// {"A acquire ok 10 until 50"} and the like: process, f, type, time, until.
RecordedHistory history_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    const ReadHistory read = parse_history(text, "test");
    return std::get<RecordedHistory>(read);
}

std::string at(const char* process, const char* f, const char* type, int time,
               const std::string& value = "null") {
    return std::string(R"({"process":")") + process + R"(","f":")" + f + R"(","type":")" + type +
           R"(","time":)" + std::to_string(time) + R"(,"value":)" + value + "}";
}

TEST(Beliefs, ABeliefEndsAtItsOwnTime) {
    const RecordedHistory history = history_of(
        {at("A", "acquire", "invoke", 0), at("A", "acquire", "ok", 1, R"({"until":10})"),
         at("B", "acquire", "invoke", 2), at("B", "acquire", "ok", 9, R"({"until":20})")});
    const auto overlap = find_overlap(history, {});
    ASSERT_TRUE(overlap);
    EXPECT_EQ((std::vector<std::size_t>{1, 3}), overlap->records);
    EXPECT_EQ(
        "acquire of B returned at time 9 (record 4, until time 20) while these believed to hold: "
        "A (acquire, record 2, until time 10)",
        overlap->reason);
    BeliefRules rules;
    rules.clock_error = 1;
    EXPECT_FALSE(find_overlap(history, rules));
    rules = {};
    rules.capacity = 2;
    EXPECT_FALSE(find_overlap(history, rules));
}

TEST(Beliefs, AReleaseARefusedRenewalAndAnExitEndIt) {
    for (const char* end : {"release", "exit", "renew"}) {
        std::vector<std::string> lines{at("A", "acquire", "invoke", 0), at("A", "acquire", "ok", 1),
                                       at("A", end, "invoke", 2)};
        if (std::string(end) == "renew") {
            lines.push_back(at("A", "renew", "fail", 3));
            lines.back().insert(lines.back().size() - 1, R"(,"error":"22 not held")");
        }
        lines.push_back(at("B", "acquire", "invoke", 4));
        lines.push_back(at("B", "acquire", "ok", 5));
        EXPECT_FALSE(find_overlap(history_of(lines), {})) << end;
        lines.erase(lines.begin() + 2, lines.end() - 2);
        EXPECT_TRUE(find_overlap(history_of(lines), {})) << end;
    }
}

TEST(Beliefs, ARenewalThatComesLateMeetsWhoHasTakenOver) {
    std::vector<std::string> lines{at("A", "acquire", "invoke", 0),
                                   at("A", "acquire", "ok", 1, R"({"until":10})"),
                                   at("A", "renew", "invoke", 9), at("B", "acquire", "invoke", 11),
                                   at("B", "acquire", "ok", 12, R"({"until":30})")};
    EXPECT_FALSE(find_overlap(history_of(lines), {}));
    lines.push_back(at("A", "renew", "ok", 13, R"({"until":25})"));
    const auto overlap = find_overlap(history_of(lines), {});
    ASSERT_TRUE(overlap);
    EXPECT_EQ((std::vector<std::size_t>{4, 5}), overlap->records);
}

TEST(Beliefs, EveryAcquireSaysHowManyMayHold) {
    const std::string two = R"({"max_per":1,"buckets":2})";
    std::vector<std::string> lines;
    for (const char* process : {"A", "B", "C"}) {
        lines.push_back(at(process, "acquire", "invoke", 1, two));
        lines.push_back(at(process, "acquire", "ok", 2));
        EXPECT_EQ(process[0] == 'C', find_overlap(history_of(lines), {}).has_value());
    }
}

}  // namespace
}  // namespace lockkeeper

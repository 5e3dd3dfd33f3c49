// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/black_box_finding.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

RecordedHistory history_of(const std::vector<std::pair<std::string, std::optional<int>>>& records) {
    RecordedHistory history;
    for (const auto& [process, token] : records) {
        Record record;
        record.type = token ? HistoryType::kOk : HistoryType::kInvoke;
        record.process = process;
        record.f = "acquire";
        record.key = "db";
        if (token) {
            record.value.set("token", Datum::of(std::int64_t{*token}));
        }
        history.records.push_back(std::move(record));
    }
    return history;
}

std::string fault_of(const std::vector<std::pair<std::string, std::optional<int>>>& records) {
    const auto fault = find_token_fault(history_of(records), *find_property("token-order"));
    return fault ? fault->name + ": " + fault->reason : "";
}

constexpr std::nullopt_t kCall = std::nullopt;

TEST(BlackBoxTokens, TokensThatRiseAreRight) {
    EXPECT_EQ("", fault_of({{"A", kCall}, {"A", 1}, {"B", kCall}, {"B", 7}, {"A", kCall}}));
}

TEST(BlackBoxTokens, AGrantThatWasAskedForLaterHasALargerToken) {
    EXPECT_EQ(
        "P23 token-order: key db: the grant of B (record 4) has token 4, after that of A "
        "(record 2), which has token 5",
        fault_of({{"A", kCall}, {"A", 5}, {"B", kCall}, {"B", 4}}));
}

// Whose answers overlap may have been granted in any order.
TEST(BlackBoxTokens, GrantsThatOverlapMayBeReadInAnyOrder) {
    EXPECT_EQ("", fault_of({{"A", kCall}, {"B", kCall}, {"B", 2}, {"A", 1}}));
}

TEST(BlackBoxTokens, NoTwoGrantsHaveTheSameToken) {
    EXPECT_EQ(
        "P23 token-order: key db: the grant of B (record 4) has token 1, the same as that of "
        "A (record 3)",
        fault_of({{"A", kCall}, {"B", kCall}, {"A", 1}, {"B", 1}}));
}

// Acquires, releases and the end of a process, one after the other.
struct Step {
    std::string process;
    std::string f;
    int token = 0;
    std::string error = {};
};

std::string fault_of_steps(const std::vector<Step>& steps) {
    RecordedHistory history;
    for (const Step& step : steps) {
        Record record;
        record.type = HistoryType::kInvoke;
        record.process = step.process;
        record.f = step.f;
        record.key = step.f == "exit" ? "" : "db";
        history.records.push_back(record);
        if (step.f == "exit") {
            continue;
        }
        record.type = step.error.empty() ? HistoryType::kOk : HistoryType::kFail;
        record.error = step.error;
        if (step.token != 0) {
            record.value.set("token", Datum::of(std::int64_t{step.token}));
        }
        history.records.push_back(std::move(record));
    }
    const auto fault = find_token_fault(history, *find_property("token-order"));
    return fault ? fault->reason : "";
}

TEST(BlackBoxTokens, AHolderThatAcquiresAgainMayGetItsTokenAgain) {
    EXPECT_EQ("", fault_of_steps({{"A", "acquire", 1},
                                  {"A", "acquire", 1},
                                  {"A", "release"},
                                  {"A", "release", 0, "11 "},
                                  {"A", "acquire", 1},
                                  {"A", "release"},
                                  {"A", "release"},
                                  {"B", "acquire", 2}}));
}

TEST(BlackBoxTokens, WhoHoldsNoLongerGetsAnotherToken) {
    const std::string same = "key db: the grant of ";
    for (const Step& end : {Step{"A", "release"}, Step{"A", "exit"},
                            Step{"A", "release", 0, "22 gone"}, Step{"A", "renew", 0, "22 "}}) {
        EXPECT_EQ(0U, fault_of_steps({{"A", "acquire", 1}, end, {"A", "acquire", 1}}).find(same))
            << end.f << end.error;
    }
    EXPECT_EQ(0U, fault_of_steps({{"A", "acquire", 1}, {"B", "acquire", 1}}).find(same));
    EXPECT_EQ(
        0U,
        fault_of_steps({{"A", "acquire", 1}, {"B", "acquire", 2}, {"A", "acquire", 1}}).find(same));
}

}  // namespace
}  // namespace lockkeeper

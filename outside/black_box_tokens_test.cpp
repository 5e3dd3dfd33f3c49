#include "outside/black_box_tokens.hpp"

#include "outside/outside_test.hpp"

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

}  // namespace
}  // namespace lockkeeper

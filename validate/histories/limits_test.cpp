// SPDX-License-Identifier: Apache-2.0

// The limits that end a search, and the reports of such an end.
#include <atomic>

#include <gtest/gtest.h>

#include "validate/histories/linearize.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

void add(RecordedHistory& history, std::size_t process, HistoryType type, const std::string& key,
         const std::string& mode, const std::string& f = "acquire") {
    Record record;
    record.type = type;
    record.process = std::to_string(process);
    record.f = f;
    record.key = key;
    record.value = Datum::of(mode);
    record.time = static_cast<std::int64_t>(history.records.size());
    history.records.push_back(record);
}

// Adds concurrent readers, and then a writer who must not be there: the search has to look at all
// subsets of the readers.
void add_worst_case(RecordedHistory& history, std::size_t readers, const std::string& key) {
    for (const HistoryType type : {HistoryType::kInvoke, HistoryType::kOk}) {
        for (std::size_t reader = 0; reader < readers; ++reader) {
            add(history, reader, type, key, "read");
        }
    }
    for (const HistoryType type : {HistoryType::kInvoke, HistoryType::kOk}) {
        add(history, readers, type, key, "write");
    }
}

HistoryCheck checked(const RecordedHistory& history, const CheckLimits& limits,
                     const char* model = "read-write-lock") {
    return std::get<HistoryCheck>(
        check_history(history, testing_histories::model_of(model), limits));
}

TEST(HistoryLimits, SixtyConcurrentOperationsEndWithTheLongestPrefix) {
    RecordedHistory history;
    add_worst_case(history, 60, "");
    CheckLimits limits;
    limits.seconds_max = 0.3;
    const HistoryCheck check = checked(history, limits);
    EXPECT_TRUE(is<Inconclusive>(check.verdict));
    EXPECT_EQ("time", check.limit);
    ASSERT_EQ(1U, check.explanations.size());
    const Explanation& explanation = check.explanations[0];
    EXPECT_EQ(60U, explanation.order.size());
    EXPECT_EQ(120U, explanation.invocation);
    EXPECT_EQ("it is held by another that excludes it", explanation.reason);
    for (const Rung& rung : check.ladder) {
        EXPECT_FALSE(rung.verdict && is<Violated>(*rung.verdict)) << rung.name;
    }
    EXPECT_FALSE(check.tightest);
}

TEST(HistoryLimits, MemoryEndsTheSearch) {
    RecordedHistory history;
    add_worst_case(history, 40, "");
    CheckLimits limits;
    limits.bytes_max = 1U << 22U;
    limits.ladder = false;
    const HistoryCheck check = checked(history, limits);
    EXPECT_TRUE(is<Inconclusive>(check.verdict));
    EXPECT_EQ("memory", check.limit);
}

TEST(HistoryLimits, AnInterruptEndsTheSearch) {
    RecordedHistory history;
    add_worst_case(history, 40, "");
    int asked = 0;
    CheckLimits limits;
    limits.stop = [&] { return ++asked > 20; };
    const HistoryCheck check = checked(history, limits);
    EXPECT_TRUE(is<Inconclusive>(check.verdict));
    EXPECT_EQ("interrupted", check.limit);
}

TEST(HistoryLimits, AHardKeyDoesNotHideAnotherThatIsViolated) {
    RecordedHistory history;
    add_worst_case(history, 40, "hard");
    for (const char* mode : {"read", "write"}) {
        add(history, mode[0] == 'r' ? 100 : 101, HistoryType::kInvoke, "easy", mode);
        add(history, mode[0] == 'r' ? 100 : 101, HistoryType::kOk, "easy", mode);
    }
    CheckLimits limits;
    limits.seconds_max = 1e6;  // the count of looks ends it, not the clock
    limits.bytes_max = std::uint64_t{512} << 20U;
    int asked = 0;
    limits.stop = [&] { return ++asked > 1000; };
    const HistoryCheck check = checked(history, limits);
    EXPECT_TRUE(is<Violated>(check.verdict));
    EXPECT_EQ(1U, check.keys_violated);
    EXPECT_EQ("easy", check.explanations[0].key);
}

TEST(HistoryLimits, TenReadersAreDecided) {
    RecordedHistory history;
    add_worst_case(history, 10, "");
    const HistoryCheck check = checked(history, {});
    EXPECT_TRUE(is<Violated>(check.verdict));
    EXPECT_EQ(10, check.ladder[1].excess);
}

TEST(HistoryLimits, EqualOperationsCostNothing) {
    RecordedHistory history;
    for (const HistoryType type : {HistoryType::kInvoke, HistoryType::kOk}) {
        for (std::size_t process = 0; process < 60; ++process) {
            add(history, process, type, "", "");
        }
    }
    const HistoryCheck check = checked(history, {}, "mutex");
    EXPECT_TRUE(is<Violated>(check.verdict));
    EXPECT_EQ(59, check.ladder[1].excess);
    EXPECT_LT(check.states, 10U);
}

TEST(HistoryLimits, MoreHoldersThanAStateHasRoomForIsNoVerdict) {
    RecordedHistory history;
    for (std::size_t process = 0; process < 70; ++process) {
        add(history, process, HistoryType::kInvoke, "", "read");
        add(history, process, HistoryType::kOk, "", "read");
    }
    CheckLimits limits;
    limits.ladder = false;
    const HistoryCheck check = checked(history, limits);
    EXPECT_TRUE(is<Inconclusive>(check.verdict));
    EXPECT_EQ("more than 64 holders at once", check.limit);
}

// Sixteen processes, a hundred keys, ten thousand operations: about one configuration each.
TEST(HistoryLimits, ACorrectHistoryCostsOneConfigurationAnOperation) {
    RecordedHistory history;
    for (std::size_t i = 0; i < 5000; ++i) {
        const std::string key = std::to_string(i % 100);
        for (const char* f : {"acquire", "release"}) {
            add(history, i % 16, HistoryType::kInvoke, key, "", f);
            add(history, i % 16, HistoryType::kOk, key, "", f);
        }
    }
    const HistoryCheck check = checked(history, {}, "owner-aware-mutex");
    EXPECT_TRUE(is<Passed>(check.verdict));
    EXPECT_EQ(10'000U, check.operations);
    EXPECT_EQ(100U, check.keys);
    EXPECT_EQ(10'100U, check.states);
}

}  // namespace
}  // namespace lockkeeper

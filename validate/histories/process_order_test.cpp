// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

// A history written in another order is judged as the original: newest first, and shuffled with an
// index, where calls and returns may have equal times.
TEST(ProcessOrder, SortedByTimeNewestFirstAndShuffledFilesAreWhatTheyWereMadeFrom) {
    std::uint32_t random = 21;
    std::size_t violated = 0;
    for (int i = 0; i < 300; ++i) {
        const ModelChoice mutex = model_of("owner-aware-mutex");
        const RecordedHistory made =
            HistoryMaker(mutex.kind, false).make(pseudo_random_numbers(20, random));
        const auto verdict_of = [&](RecordedHistory history) {
            EXPECT_FALSE(order_records(history, {.sorts_by_time = true, .tolerance = 0}));
            return name_of(std::get<HistoryCheck>(check_history(history, mutex)).verdict);
        };
        const std::string_view expected = verdict_of(made);
        violated += expected == kViolated ? 1 : 0;
        RecordedHistory newest_first = made;
        std::reverse(newest_first.records.begin(), newest_first.records.end());
        EXPECT_EQ(expected, verdict_of(newest_first)) << write_history(made);
        RecordedHistory shuffled = made;
        for (std::size_t at = 0; at < shuffled.records.size(); ++at) {
            shuffled.records[at].index = static_cast<std::int64_t>(at);
        }
        for (std::size_t at = shuffled.records.size(); at-- > 1;) {
            std::swap(shuffled.records[at],
                      shuffled.records[pseudo_random_numbers(1, random)[0] % (at + 1)]);
        }
        EXPECT_EQ(expected, verdict_of(shuffled)) << write_history(made);
    }
    EXPECT_GT(violated, 50U);
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Limits that must hold whatever a history says: many open operations, large numbers, one long loop
// of the ladder. What is counted are looks at the budget and rows, not seconds.
#include <gtest/gtest.h>

#include "validate/histories/holding_intervals.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

class Recorder {
  public:
    Recorder& invoke(std::size_t process, const std::string& f, Datum value = {}) {
        return add(process, f, HistoryType::kInvoke, std::move(value));
    }
    Recorder& call(std::size_t process, const std::string& f, Datum value = {},
                   HistoryType end = HistoryType::kOk) {
        invoke(process, f, value);
        return add(process, f, end, std::move(value));
    }
    Recorder& complete(std::size_t process, const std::string& f, Datum value) {
        return add(process, f, HistoryType::kOk, std::move(value));
    }
    [[nodiscard]] const RecordedHistory& history() const { return history_; }

  private:
    Recorder& add(std::size_t process, const std::string& f, HistoryType type, Datum value) {
        Record record;
        record.type = type;
        record.process = std::to_string(process);
        record.f = f;
        record.value = std::move(value);
        history_.records.push_back(record);
        return *this;
    }

    RecordedHistory history_;
};

HistoryCheck checked(const Recorder& recorder, const char* model, const CheckLimits& limits = {}) {
    return std::get<HistoryCheck>(
        check_history(recorder.history(), testing_histories::model_of(model), limits));
}

// A billion permits of one, until the budget was looked at so often.
HistoryCheck excess_of_a_billion(int looks) {
    Recorder recorder;
    recorder.call(0, "acquire").call(1, "release");
    recorder.call(0, "acquire", Datum::of(std::int64_t{1'000'000'000}));
    int asked = 0;
    CheckLimits limits;
    limits.stop = [&] { return ++asked > looks; };
    return checked(recorder, "semaphore:1", limits);
}

TEST(HistoryBudget, AnExcessOfABillionIsFoundByHalving) {
    const HistoryCheck check = excess_of_a_billion(1000);
    EXPECT_TRUE(is<Violated>(check.verdict));
    EXPECT_TRUE(check.ladder[1].is_satisfied()) << check.ladder[1].detail;
    EXPECT_EQ(999'999'999, check.ladder[1].excess);
}

TEST(HistoryBudget, AnExcessIsNotNarrowed) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40U;
    Recorder recorder;
    for (std::size_t process = 0; process < 8; ++process) {
        recorder.call(process, "acquire", Datum::of(kMost));
    }
    const HistoryCheck check = checked(recorder, "semaphore:1");
    EXPECT_EQ(8 * kMost - 1, check.ladder[1].excess);
}

TEST(HistoryBudget, EveryTryOfTheLadderLooksAtIt) {
    const HistoryCheck check = excess_of_a_billion(20);
    EXPECT_TRUE(is<Violated>(check.verdict));
    EXPECT_TRUE(is<Inconclusive>(*check.ladder[1].verdict));
}

Recorder with_open_acquires(std::size_t count) {
    Recorder recorder;
    for (std::size_t process = 0; process < count; ++process) {
        recorder.invoke(process + 10, "acquire");
    }
    return recorder;
}

// Each of them may be why the last one was refused: a row has a bit for each, and a configuration
// as many successors.
Recorder with_a_refusal_behind_open_acquires() {
    Recorder recorder = with_open_acquires(20'000);
    recorder.call(0, "acquire").call(1, "acquire").call(2, "acquire", {}, HistoryType::kFail);
    return recorder;
}
constexpr const char* kJudged = "owner-aware-mutex:refusals=judged";

TEST(HistoryBudget, SuccessorsOfOneConfigurationAreBoundedByMemory) {
    const Recorder recorder = with_a_refusal_behind_open_acquires();
    CheckLimits limits;
    limits.bytes_max = std::uint64_t{4} << 20U;
    limits.ladder = false;
    const HistoryCheck check = checked(recorder, kJudged, limits);
    EXPECT_TRUE(is<Inconclusive>(check.verdict));
    EXPECT_EQ("memory", check.limit);
    EXPECT_GT(check.states, 100U);
    EXPECT_LT(check.states * (20'000 / 8), limits.bytes_max);
}

TEST(HistoryBudget, SuccessorsOfOneConfigurationAreBoundedByTime) {
    const Recorder recorder = with_a_refusal_behind_open_acquires();
    int asked = 0;
    CheckLimits limits;
    limits.stop = [&] { return ++asked > 12; };
    limits.ladder = false;
    const HistoryCheck check = checked(recorder, kJudged, limits);
    EXPECT_EQ("interrupted", check.limit);
    EXPECT_LT(check.states, 20'000U);
}

TEST(HistoryBudget, WhatNeverReturnsCostsNothingWhereItIsNotNeeded) {
    Recorder recorder = with_open_acquires(20'000);
    recorder.call(0, "acquire").call(0, "release");
    CheckLimits limits;
    limits.bytes_max = std::uint64_t{4} << 20U;
    limits.ladder = false;
    const HistoryCheck check = checked(recorder, "owner-aware-mutex", limits);
    EXPECT_TRUE(is<Passed>(check.verdict));
    EXPECT_EQ(3U, check.states);
}

// Forty grants at once, told in another order than that of their tokens, and one more with an old
// token: however the search ends, it has seen that the forty can be explained.
TEST(HistoryBudget, ThePrefixOfRisingTokensIsFoundBeforeTheLimit) {
    constexpr std::size_t kGrants = 40;
    Recorder recorder = with_open_acquires(kGrants);
    for (std::size_t i = 0; i < kGrants; ++i) {
        const auto token = static_cast<std::int64_t>(1 + i * 17 % kGrants);
        recorder.complete(i + 10, "acquire", Datum::of(std::int64_t{token}));
    }
    recorder.call(0, "acquire", Datum::of(std::int64_t{1}));
    const auto model = make_model(testing_histories::model_of("fenced-resource"));
    const auto read = read_operations(recorder.history(), *model);
    const auto lists = std::get<std::vector<KeyOperations>>(read);
    const Linearization found = linearize(lists.front(), *model, SearchBudget({}), 1'000);
    EXPECT_EQ("configurations", std::get<Inconclusive>(found.verdict).limit);
    EXPECT_TRUE(found.needs_more);
    EXPECT_EQ(kGrants, found.order.size());
    EXPECT_EQ(kGrants, found.stuck);
}

struct Asked {
    int count = 0;
    SearchBudget budget{limits()};

    CheckLimits limits() {
        CheckLimits out;
        out.seconds_max = 1e6;
        out.stop = [this] {
            ++count;
            return false;
        };
        return out;
    }
};

struct Read {
    std::unique_ptr<SequentialModel> model;
    KeyOperations list;
    std::vector<Holding> holdings;
};
Read read(const Recorder& recorder, const char* model_text, const SearchBudget& budget) {
    Read out{make_model(testing_histories::model_of(model_text)), {}, {}};
    auto lists = read_operations(recorder.history(), *out.model);
    out.list = std::move(std::get<std::vector<KeyOperations>>(lists).front());
    out.holdings = holdings_of(out.list, *out.model, budget)->all;
    return out;
}

TEST(HistoryBudget, RefusalsAreJudgedByTheWorkThatTheyAre) {
    Recorder recorder = with_open_acquires(2000);
    for (std::size_t i = 0; i < 200; ++i) {
        recorder.call(0, "acquire", {}, HistoryType::kFail);
    }
    Asked asked;
    const Read one = read(recorder, "semaphore:3000,refusals=judged", asked.budget);
    const int before = asked.count;
    const auto refusals = judge_refusals(one.list, one.holdings, *one.model, asked.budget);
    EXPECT_EQ(200U, refusals->without_reason);
    EXPECT_GT(asked.count - before, 50);
}

TEST(HistoryBudget, AnExcessIsMeasuredByTheWorkThatItIs) {
    Recorder recorder;
    for (std::size_t process = 0; process < 1000; ++process) {
        recorder.call(process, "acquire");
    }
    Asked asked;
    const Read one = read(recorder, "semaphore:1", asked.budget);
    const int before = asked.count;
    EXPECT_EQ(999, certain_excess(one.holdings, *one.model, {}, asked.budget)->most);
    EXPECT_GT(asked.count - before, 50);
}

TEST(HistoryBudget, ReleasesOfWhatOthersHoldAreReadByTheWorkThatTheyAre) {
    Recorder recorder;
    for (std::size_t process = 1; process < 1000; ++process) {
        recorder.call(process, "acquire");
    }
    for (std::size_t process = 1; process < 1000; ++process) {
        recorder.call(0, "release");
    }
    Asked asked;
    (void)read(recorder, "semaphore:1", asked.budget);
    EXPECT_GT(asked.count, 50);
}

}  // namespace
}  // namespace lockkeeper

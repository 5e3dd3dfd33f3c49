// SPDX-License-Identifier: Apache-2.0

// Leaving out what has no known end where it cannot help changes no verdict and no prefix, and
// makes long histories with many such calls quick.
#include <gtest/gtest.h>

#include "validate/histories/naive_twin_test.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_histories;

// The models that the ladder asks for are among them.
const char* const kWithSlack[] = {
    "mutex",
    "owner-aware-mutex",
    "reentrant-mutex:depth=2",
    "fenced-mutex",
    "reentrant-fenced-mutex",
    "semaphore:2",
    "read-write-lock",
    "resizable-semaphore",
    "multi-lock:excludes=a-b+c>a+b-b",
    "lease:ttl=6,error=1",
    "fenced-lease:ttl=6,error=1",
};

struct Answer {
    std::string_view verdict;
    std::size_t place = 0;  // of the return that ends the longest prefix
    friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer_of(const KeyOperations& list, const SequentialModel& model, bool places_all) {
    const Linearization found = linearize(list, model, SearchBudget({}), 0, places_all);
    const bool is_told = found.stuck && !has_effects(list);
    return {name_of(found.verdict),
            is_told ? list.operations[*found.stuck].completed : kNeverCompleted};
}

// Processes go on by the same name after a call without a known end, and half of all calls have
// none: their owners do something later, or nothing.
RecordedHistory with_many_open(const ModelChoice& choice, std::size_t count,
                               std::uint32_t& random) {
    RecordedHistory history = HistoryMaker(choice.kind, false, choice.judges_effects)
                                  .make(pseudo_random_numbers(count, random));
    for (Record& record : history.records) {
        record.process = std::to_string(std::stoul(record.process) % 5);
        if (record.type != HistoryType::kInvoke && pseudo_random_numbers(1, random)[0] % 2 == 0) {
            record.type = HistoryType::kInfo;
        }
    }
    return history;
}

// False: two operations of one process at once.
bool compare(const ModelChoice& choice, const RecordedHistory& history, std::size_t& violated) {
    const auto model = make_model(choice);
    const auto read = read_operations(history, *model);
    const auto* lists = std::get_if<std::vector<KeyOperations>>(&read);
    if (lists == nullptr || lists->empty()) {
        return false;
    }
    const Answer all = answer_of(lists->front(), *model, true);
    EXPECT_EQ(all, answer_of(lists->front(), *model, false))
        << description_of(choice.kind).name << " slack " << choice.slack << "\n"
        << write_history(history);
    violated += all.verdict == kViolated ? 1 : 0;
    return true;
}

TEST(OpenPlacement, TenThousandRandomHistoriesGetTheSameAnswersWithAndWithoutIt) {
    std::uint32_t random = 7;
    std::size_t compared = 0;
    std::size_t violated = 0;
    for (std::size_t i = 0; compared < 10'000; ++i) {
        const bool has_slack = i % 3 == 0;
        ModelChoice choice = model_of(has_slack ? kWithSlack[i / 3 % std::size(kWithSlack)]
                                                : kModels[i % std::size(kModels)]);
        choice.slack = has_slack ? 1 + static_cast<std::int64_t>(i % 2) : 0;
        const RecordedHistory history = with_many_open(choice, 18, random);
        compared += compare(choice, history, violated) ? 1 : 0;
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(violated, 2'000U);
    EXPECT_LT(violated, 8'000U);
}

Datum value_of(const std::string& model) {
    return model == "read-write-lock" ? Datum::of(std::string("write"))
           : model == "multi-lock"    ? Datum::of(std::string("a"))
                                      : Datum{};
}

// Ten thousand operations, of which two hundred acquires have no known end; then two holders.
// `again`: their owners go on, so that each may have what it releases later.
RecordedHistory long_history(const std::string& model, bool again, bool is_violated) {
    RecordedHistory history{"long", {}, 0};
    std::int64_t now = 0;
    const auto add = [&](const std::string& process, const char* f, HistoryType type) {
        Record record;
        record.type = type;
        record.process = process;
        record.f = f;
        record.value = value_of(model);
        record.time = ++now;
        history.records.push_back(record);
    };
    for (std::size_t i = 0; i < 4'900; ++i) {
        const std::string process = std::to_string(i % 7);
        if (i % 24 == 0) {
            const std::string lost = again ? process : "lost " + std::to_string(i);
            add(lost, "acquire", HistoryType::kInvoke);
            add(lost, "acquire", HistoryType::kInfo);
        }
        for (const char* f : {"acquire", "release"}) {
            add(process, f, HistoryType::kInvoke);
            add(process, f, HistoryType::kOk);
        }
    }
    for (const char* process : {"a", "b"}) {
        add(process, "acquire", HistoryType::kInvoke);
        add(process, "acquire", HistoryType::kOk);
        if (!is_violated) {
            add(process, "release", HistoryType::kInvoke);
            add(process, "release", HistoryType::kOk);
        }
    }
    return history;
}

class LongHistory : public ::testing::TestWithParam<const char*> {};

TEST_P(LongHistory, OfTenThousandOperationsWithTwoHundredOpenIsDecided) {
    const ModelChoice choice = model_of(GetParam());
    for (const bool again : {false, true}) {
        for (const bool is_violated : {false, true}) {
            const RecordedHistory history =
                long_history(description_of(choice.kind).name.data(), again, is_violated);
            const auto checked = check_history(history, choice);
            const HistoryCheck& check = std::get<HistoryCheck>(checked);
            EXPECT_EQ(is_violated ? kViolated : kPassed, name_of(check.verdict)) << check.limit;
            EXPECT_GT(check.operations, 9'990U);
            EXPECT_GT(check.operations_open, 200U);
            EXPECT_LT(check.states, 40'000U);
            EXPECT_EQ(is_violated ? 1 : 0, check.ladder[1].excess.value_or(-1));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Histories, LongHistory,
                         ::testing::Values("mutex", "semaphore:1", "owner-aware-mutex",
                                           "reentrant-mutex", "fenced-mutex", "read-write-lock",
                                           "multi-lock:excludes=a-a", "lease:ttl=50"));

TEST(OpenPlacement, ALeaseOfAHundredOperationsWithTenOpenAcquiresIsViolated) {
    const auto read =
        read_history(LOCKKEEPER_SOURCE_DIR "/validate/histories/testdata/lease_ten_open.jsonl");
    ASSERT_TRUE(std::holds_alternative<RecordedHistory>(read));
    auto history = std::get<RecordedHistory>(read);
    ASSERT_FALSE(order_records(history, {}));
    const auto checked = check_history(history, model_of("lease:ttl=50"));
    const HistoryCheck& check = std::get<HistoryCheck>(checked);
    EXPECT_EQ(kViolated, name_of(check.verdict)) << check.limit;
    EXPECT_LT(check.states, 100'000U);
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Hand-made histories of every model, right and wrong, and what is said about them.
#include <set>

#include <gtest/gtest.h>

#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using testing_histories::kPassed;
using testing_histories::kViolated;

const std::string kDirectory = LOCKKEEPER_SOURCE_DIR "/examples/histories/";

struct Example {
    const char* file;
    const char* model;
    std::string_view verdict;
    const char* reason;    // of the first explanation
    const char* tightest;  // rung; null: none
};

const Example kExamples[] = {
    {"mutex_good.jsonl", "mutex", kPassed, "", "strict"},
    {"mutex_bad.jsonl", "mutex", kViolated, "the mutex is held", "too-many-for"},
    {"owner_aware_mutex_good.jsonl", "owner-aware-mutex", kPassed, "", "strict"},
    {"owner_aware_mutex_bad.jsonl", "owner-aware-mutex", kViolated, "the caller does not hold it",
     nullptr},
    {"owner_aware_mutex_bad.jsonl", "mutex", kPassed, "", "strict"},
    {"reentrant_mutex_good.jsonl", "reentrant-mutex", kPassed, "", "strict"},
    {"reentrant_mutex_good.jsonl", "reentrant-mutex:depth=1", kViolated,
     "the caller holds it already", nullptr},
    {"reentrant_mutex_good.jsonl", "owner-aware-mutex", kViolated, "the caller holds it already",
     nullptr},
    {"reentrant_mutex_bad.jsonl", "reentrant-mutex", kViolated,
     "it is held by another that excludes it", "too-many-for"},
    {"fenced_mutex_good.jsonl", "fenced-mutex", kPassed, "", "strict"},
    {"fenced_mutex_bad.jsonl", "fenced-mutex", kViolated, "the token 7 was granted before",
     nullptr},
    {"fenced_mutex_bad.jsonl", "owner-aware-mutex", kPassed, "", "strict"},
    {"fenced_effects.jsonl", "fenced-mutex", kViolated, "it is held by another that excludes it",
     "too-many-for"},
    {"fenced_effects.jsonl", "fenced-resource", kPassed, "", "strict"},
    {"reentrant_fenced_mutex_good.jsonl", "reentrant-fenced-mutex", kPassed, "", "strict"},
    {"reentrant_fenced_mutex_bad.jsonl", "reentrant-fenced-mutex", kViolated,
     "the token of this hold is 3", nullptr},
    {"semaphore_good.jsonl", "semaphore:3", kPassed, "", "strict"},
    {"semaphore_bad.jsonl", "semaphore:3", kViolated, "3 of 3 held", "too-many-for"},
    {"semaphore_bad.jsonl", "semaphore:4", kPassed, "", "strict"},
    {"resizable_semaphore_good.jsonl", "resizable-semaphore", kPassed, "", "strict"},
    {"resizable_semaphore_bad.jsonl", "resizable-semaphore", kViolated, "2 of 1 held",
     "too-many-for"},
    {"leaks.jsonl", "resizable-semaphore", kPassed, "", "strict"},
    {"leaks.jsonl", "resizable-semaphore:refusals=judged", kViolated,
     "there was room: it should have been granted", "too-many-for"},
    {"leaks_but_recovers.jsonl", "resizable-semaphore:refusals=judged", kViolated,
     "there was room: it should have been granted", "leaks-but-recovers"},
    {"read_write_lock_good.jsonl", "read-write-lock", kPassed, "", "strict"},
    {"read_write_lock_bad.jsonl", "read-write-lock", kViolated,
     "it is held by another that excludes it", "too-many-for"},
    {"reentrant_read_write_lock_good.jsonl", "reentrant-read-write-lock", kPassed, "", "strict"},
    {"reentrant_read_write_lock_good.jsonl", "reentrant-read-write-lock:depth=1", kViolated,
     "the caller holds it already", nullptr},
    {"reentrant_read_write_lock_good.jsonl", "read-write-lock", kViolated,
     "the caller's own hold excludes it (reentrant-read-write-lock would not)", nullptr},
    {"reentrant_read_write_lock_bad.jsonl", "reentrant-read-write-lock", kViolated,
     "it is held by another that excludes it", "too-many-for"},
    {"multi_lock_good.jsonl", "multi-lock:excludes=edit-publish", kPassed, "", "strict"},
    {"multi_lock_bad.jsonl", "multi-lock:excludes=edit-publish", kViolated,
     "it is held by another that excludes it", "too-many-for"},
    {"multi_lock_bad.jsonl", "multi-lock:excludes=edit>publish", kPassed, "", "strict"},
    {"lease_good.jsonl", "lease:ttl=10,error=1", kPassed, "", "strict"},
    {"lease_good.jsonl", "lease:ttl=10", kViolated,
     "another lease runs until time 15, and the call returned at 14", "too-many-for"},
    {"lease_bad.jsonl", "lease:ttl=10,error=1", kViolated,
     "another lease runs until time 14, and the call returned at 11", "too-many-for"},
    {"late_write.jsonl", "lease:ttl=10", kPassed, "", "strict"},
    {"late_write.jsonl", "lease:ttl=10,writes=holder", kViolated,
     "an effect at time 14 or later, and the caller's lease had ended at 12 at the latest",
     "too-many-for"},
    {"refused_but_frees.jsonl", "mutex", kViolated, "the mutex is held", "refused-but-frees"},
    {"worker_logs.jsonl", "mutex", kViolated, "the mutex is held", "too-many-for"},
    {"fenced_lease_good.jsonl", "fenced-lease", kPassed, "", "strict"},
    {"fenced_lease_bad.jsonl", "fenced-lease", kViolated,
     "an effect with the higher token 8 was taken before", nullptr},
    {"fenced_lease_bad.jsonl", "lease", kPassed, "", "strict"},
    {"pool_good.jsonl", "pool:1", kPassed, "", "strict"},
    {"pool_good.jsonl", "pool:1,error=1", kPassed, "", "strict"},
    {"pool_bad.jsonl", "pool:1", kViolated, "a place was free: the caller should have been served",
     "too-many-for"},
    {"pool_bad.jsonl", "pool:1,refusals=ignored", kPassed, "", "strict"},
    {"pool_waits.jsonl", "pool:1", kViolated, "a place is free, and the caller waits", "too-many"},
    {"pool_doubled.jsonl", "pool:3", kViolated, "that connection is lent to another", nullptr},
    {"hazelcast_lock.edn", "fenced-mutex:invalid=0", kPassed, "", "strict"},
    {"hazelcast_lock.edn", "owner-aware-mutex", kPassed, "", "strict"},
    {"hazelcast_lock.edn", "reentrant-fenced-mutex:invalid=0", kPassed, "", "strict"},
    {"hazelcast_lock.edn", "semaphore:1", kPassed, "", "strict"},
    {"jepsen_lock.edn", "mutex", kViolated, "the mutex is held", "too-many-for"},
};

class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, GetTheVerdictThatTheyAreMadeFor) {
    const Example& example = GetParam();
    auto read = read_history(kDirectory + example.file);
    ASSERT_TRUE(std::holds_alternative<RecordedHistory>(read))
        << std::get<HistoryError>(read).to_text();
    RecordedHistory& history = std::get<RecordedHistory>(read);
    OrderChoice choice;
    choice.sorts_by_time = std::string_view(example.file) == "worker_logs.jsonl";
    const auto error = order_records(history, choice);
    ASSERT_FALSE(error) << error->to_text();
    const auto checked = check_history(history, testing_histories::model_of(example.model));
    ASSERT_TRUE(std::holds_alternative<HistoryCheck>(checked))
        << std::get<HistoryError>(checked).to_text();
    const HistoryCheck& check = std::get<HistoryCheck>(checked);
    EXPECT_EQ(example.verdict, name_of(check.verdict));
    EXPECT_EQ(example.reason, check.explanations.empty() ? "" : check.explanations[0].reason);
    EXPECT_EQ(example.tightest == nullptr ? "" : example.tightest,
              check.tightest ? check.ladder[*check.tightest].name : "");
}

INSTANTIATE_TEST_SUITE_P(Histories, Examples, ::testing::ValuesIn(kExamples));

TEST(ExamplesOfHistories, AreGivenForEveryModelRightAndWrong) {
    std::set<std::pair<ModelKind, std::string_view>> seen;
    for (const Example& example : kExamples) {
        seen.emplace(testing_histories::model_of(example.model).kind, example.verdict);
    }
    for (const ModelDescription& model : all_models()) {
        EXPECT_EQ(1U, seen.count({model.kind, kPassed})) << model.name;
        if (model.kind != ModelKind::kFencedResource) {
            EXPECT_EQ(1U, seen.count({model.kind, kViolated})) << model.name;
        }
    }
}

TEST(JepsenHistory, KeysAreJudgedApartAndTheNemesisIsLeftOut) {
    const auto read = read_history(kDirectory + "jepsen_lock.edn");
    const RecordedHistory& history = std::get<RecordedHistory>(read);
    EXPECT_EQ(2U, history.nemesis_records);
    const auto checked = check_history(history, testing_histories::model_of("mutex"));
    const HistoryCheck& check = std::get<HistoryCheck>(checked);
    EXPECT_EQ(2U, check.keys);
    EXPECT_EQ(1U, check.keys_passed);
    ASSERT_EQ(1U, check.explanations.size());
    EXPECT_EQ("b", check.explanations[0].key);
    EXPECT_EQ("2 (line 11)", check.explanations[0].holders);
    EXPECT_EQ(13U, history.records[*check.explanations[0].invocation].line);
    EXPECT_EQ(1U, check.operations_open);
    EXPECT_EQ(19'000'000, check.ladder[2].duration);
}

// A lock that only refuses without reason never lets in too many, and is not told "at most 0".
TEST(LadderOfContracts, SaysNeverTooManyWhereNoMoreHoldThanTheModelAllows) {
    const auto read = read_history(kDirectory + "leaks_but_recovers.jsonl");
    const auto checked =
        check_history(std::get<RecordedHistory>(read),
                      testing_histories::model_of("resizable-semaphore:refusals=judged"));
    const std::vector<Rung>& ladder = std::get<HistoryCheck>(checked).ladder;
    EXPECT_TRUE(is<Violated>(*ladder[0].verdict));
    for (const std::size_t rung : {1U, 2U}) {
        EXPECT_EQ("never too many", ladder[rung].contract);
        EXPECT_TRUE(ladder[rung].is_satisfied());
        EXPECT_EQ(0, ladder[rung].excess);
    }
}

}  // namespace
}  // namespace lockkeeper

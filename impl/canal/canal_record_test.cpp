// SPDX-License-Identifier: Apache-2.0

// The packed counts of references and the queues of notifications.
#include "impl/canal/canal_record.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper::canal {
namespace {

constexpr std::array kKinds{ReferenceKind::kMonitored, ReferenceKind::kOwned};

template <class Counts>
class CanalReferences : public ::testing::Test {};
using Sizes = ::testing::Types<SmallReferences, WideReferences>;
TYPED_TEST_SUITE(CanalReferences, Sizes);

TYPED_TEST(CanalReferences, are_two_counts_of_which_none_touches_the_other) {
    for (const ReferenceKind changed : kKinds) {
        TypeParam references{};
        std::uint32_t other_value = 3;
        for (const ReferenceKind kind : kKinds) {
            set(references, kind, other_value++);
        }
        set(references, changed, TypeParam::kMax);
        other_value = 3;
        for (const ReferenceKind kind : kKinds) {
            EXPECT_EQ(get(references, kind), kind == changed ? TypeParam::kMax : other_value);
            ++other_value;
        }
        set(references, changed, 0);
        EXPECT_EQ(get(references, changed), 0U);
    }
}

TYPED_TEST(CanalReferences, say_when_there_are_too_many_and_stay_as_they_are) {
    for (const ReferenceKind kind : kKinds) {
        TypeParam references{};
        set(references, kind, TypeParam::kMax);
        EXPECT_THROW(set(references, kind, TypeParam::kMax + 1), LimitExceeded);
        EXPECT_EQ(get(references, kind), TypeParam::kMax);
    }
}

TEST(CanalReferencesSmall, take_a_byte_each) {
    SmallReferences references;
    set(references, ReferenceKind::kMonitored, 0x1);
    set(references, ReferenceKind::kOwned, 0x2);
    EXPECT_EQ(references.monitored, 0x1);
    EXPECT_EQ(references.owned, 0x2);
    EXPECT_EQ(sizeof(SmallReferences), 2U);
}

TEST(CanalRecord, counts_each_key_and_kind_apart) {
    CanalRecord<KeysSize> record{};
    record.add(2, ReferenceKind::kMonitored);
    record.add(2, ReferenceKind::kMonitored);
    record.add(0, ReferenceKind::kOwned);
    record.remove(2, ReferenceKind::kMonitored);
    EXPECT_EQ(record.count(2, ReferenceKind::kMonitored), 1U);
    EXPECT_EQ(record.count(0, ReferenceKind::kOwned), 1U);
    EXPECT_EQ(record.count(0, ReferenceKind::kMonitored), 0U);
    EXPECT_EQ(record.count(1, ReferenceKind::kMonitored), 0U);
    EXPECT_THROW(record.remove(1, ReferenceKind::kMonitored), InternalError);
}

TEST(CanalRecord, raises_and_lowers_each_flag_apart) {
    using Record = CanalRecord<TinySize>;
    constexpr std::array kFlags{Record::kUnlockSent, Record::kReplied, Record::kDead,
                                Record::kBeingReaped};
    for (const auto changed : kFlags) {
        Record record{};
        record.raise(changed);
        for (const auto flag : kFlags) {
            EXPECT_EQ(record.is(flag), flag == changed);
        }
        record.lower(changed);
        EXPECT_EQ(record.flags, 0);
    }
}

// --- channels ------------------------------------------------------------------------------------

using Queue = Channel<3, 2, std::uint8_t>;

TEST(CanalChannel, gives_the_keys_in_the_order_in_which_they_were_sent) {
    Queue queue{};
    const std::vector<std::size_t> sent{2, 2, 1, 1, 1};
    for (const std::size_t key : sent) {
        queue.push(key);
    }
    std::vector<std::size_t> handled;
    while (queue.has_lock()) {
        handled.push_back(queue.head());
        queue.pop();
    }
    EXPECT_EQ(handled, sent);
}

TEST(CanalChannel, has_room_for_so_many_runs_and_any_number_in_a_run) {
    Queue queue{};
    for (const std::size_t key : std::vector<std::size_t>{0, 0, 0, 2, 2}) {
        queue.push(key);
    }
    const Queue before = queue;
    EXPECT_THROW(queue.push(0), LimitExceeded);
    EXPECT_EQ(std::memcmp(&queue, &before, sizeof(queue)), 0);
    queue.push(2);
    for (int i = 0; i < 3; ++i) {
        queue.pop();
    }
    queue.push(0);
    EXPECT_EQ(queue.locks_of(0), 1U);
    EXPECT_EQ(queue.locks_of(2), 3U);
}

TEST(CanalChannel, counts_a_key_over_all_runs) {
    Channel<3, 4, std::uint8_t> queue{};
    for (const std::size_t key : std::vector<std::size_t>{0, 1, 0, 0}) {
        queue.push(key);
    }
    EXPECT_EQ(queue.locks_of(0), 3U);
    EXPECT_EQ(queue.locks_of(1), 1U);
    EXPECT_EQ(queue.locks_of(2), 0U);
}

TEST(CanalChannel, that_is_empty_again_has_the_bytes_of_a_new_one) {
    Queue queue{};
    for (const std::size_t key : std::vector<std::size_t>{2, 1}) {
        queue.push(key);
    }
    queue.push_unlock(1);
    EXPECT_EQ(queue.key_of_unlock(), 1U);
    queue.pop();
    queue.pop();
    queue.pop_unlock();
    const Queue fresh{};
    EXPECT_EQ(std::memcmp(&queue, &fresh, sizeof(queue)), 0);
}

TEST(CanalChannel, of_one_key_is_a_number) {
    Channel<1, 1, std::uint8_t> queue{};
    EXPECT_EQ(sizeof(queue), 1U);
    EXPECT_FALSE(queue.has_lock());
    queue.push(0);
    queue.push(0);
    EXPECT_EQ(queue.locks_of(0), 2U);
    EXPECT_EQ(queue.head(), 0U);
    queue.pop();
    queue.pop();
    EXPECT_FALSE(queue.has_lock());
}

}  // namespace
}  // namespace lockkeeper::canal

// SPDX-License-Identifier: Apache-2.0

// The queue beside a list that says the same: every sequence of six messages of two keys.
#include "impl/canal/canal_queue.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper::canal {
namespace {

using SixMessages = MessageQueue<6>;
struct SentMessage {
    std::size_t key;
    bool is_unlock;
};

// The sequence of that number, a message for each two bits.
std::vector<SentMessage> sequence(unsigned number) {
    std::vector<SentMessage> sent;
    for (int i = 0; i < 6; ++i, number /= 4) {
        sent.push_back({number % 2, number / 2 % 2 == 1});
    }
    return sent;
}

SixMessages filled(const std::vector<SentMessage>& sent) {
    SixMessages queue{};
    for (const SentMessage& message : sent) {
        message.is_unlock ? queue.push_unlock(message.key) : queue.push(message.key);
    }
    return queue;
}

TEST(MessageQueue, gives_all_in_the_order_in_which_they_were_sent_and_ends_as_a_new_one) {
    for (unsigned number = 0; number < 4096; ++number) {
        const std::vector<SentMessage> sent = sequence(number);
        SixMessages queue = filled(sent);
        for (const SentMessage& message : sent) {
            ASSERT_EQ(queue.has_unlock(), message.is_unlock);
            ASSERT_EQ(queue.has_lock(), !message.is_unlock);
            ASSERT_EQ(queue.head(), message.key);
            queue.pop();
        }
        const SixMessages fresh{};
        ASSERT_EQ(std::memcmp(&queue, &fresh, sizeof(queue)), 0);
    }
}

TEST(MessageQueue, counts_what_is_there_and_what_it_will_leave) {
    for (unsigned number = 0; number < 4096; ++number) {
        const std::vector<SentMessage> sent = sequence(number);
        const SixMessages queue = filled(sent);
        ASSERT_EQ(queue.size(), 6U);
        for (std::size_t key = 0; key < 2; ++key) {
            std::uint32_t locks = 0;
            std::uint32_t unlocks = 0;
            std::uint32_t references = 1;
            for (const SentMessage& message : sent) {
                if (message.key == key && message.is_unlock) {
                    ++unlocks;
                    references -= references > 0 ? 1U : 0U;  // or an unexpected unlock
                } else if (message.key == key) {
                    ++locks;
                    ++references;
                }
            }
            ASSERT_EQ(queue.locks_of(key), locks);
            ASSERT_EQ(queue.unlocks_of(key), unlocks);
            ASSERT_EQ(queue.references_left(key, 1), references);
        }
    }
}

TEST(MessageQueue, that_is_full_refuses_one_more_and_stays_as_it_is) {
    const SixMessages before = filled(sequence(1234));
    SixMessages queue = before;
    EXPECT_THROW(queue.push(0), LimitExceeded);
    EXPECT_THROW(queue.push_unlock(1), LimitExceeded);
    EXPECT_EQ(std::memcmp(&queue, &before, sizeof(queue)), 0);
}

}  // namespace
}  // namespace lockkeeper::canal

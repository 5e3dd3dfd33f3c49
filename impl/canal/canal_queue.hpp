// SPDX-License-Identifier: Apache-2.0

// One caller's messages to the manager, in the order in which they were sent. A caller that does
// not wait for the reply to its release may have any number of them under way, locks and unlocks
// mixed (Channel in canal_record.hpp has one unlock, behind all locks).
//
// Limit: Room messages. The next one is no step but a LimitExceeded: a search that meets it ends as
// inconclusive, and says so.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/check.hpp"

namespace lockkeeper::canal {

template <std::size_t Room>
struct MessageQueue {
    // 1 + 2 * key for a lock, one more for an unlock; 0: none.
    std::array<std::uint8_t, Room> messages;

    [[nodiscard]] bool has_lock() const { return messages[0] % 2 == 1; }
    [[nodiscard]] bool has_unlock() const { return messages[0] != 0 && !has_lock(); }
    [[nodiscard]] bool has_one_lock() const { return has_lock() && size() == 1; }
    // The key of the next message: a lock, or an unlock.
    [[nodiscard]] std::size_t head() const { return (messages[0] - 1U) / 2; }
    [[nodiscard]] std::size_t key_of_unlock() const { return head(); }

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(
            std::find(messages.begin(), messages.end(), std::uint8_t{0}) - messages.begin());
    }
    [[nodiscard]] std::uint32_t locks_of(std::size_t key) const { return count(code(key, false)); }
    [[nodiscard]] std::uint32_t unlocks_of(std::size_t key) const { return count(code(key, true)); }

    // References to the caller when all of these are handled; `now`: there are so many.
    [[nodiscard]] std::uint32_t references_left(std::size_t key, std::uint32_t now) const {
        for (const std::uint8_t message : messages) {
            now += message == code(key, false) ? 1U : 0U;
            now -= message == code(key, true) && now > 0 ? 1U : 0U;
        }
        return now;
    }

    void push(std::size_t key) { add(code(key, false)); }
    void push_unlock(std::size_t key) { add(code(key, true)); }
    void pop() {
        std::copy(messages.begin() + 1, messages.end(), messages.begin());
        messages.back() = 0;
    }
    void pop_unlock() { pop(); }

  private:
    static std::uint8_t code(std::size_t key, bool is_unlock) {
        return static_cast<std::uint8_t>(1 + 2 * key + (is_unlock ? 1 : 0));
    }
    [[nodiscard]] std::uint32_t count(std::uint8_t code) const {
        return static_cast<std::uint32_t>(std::count(messages.begin(), messages.end(), code));
    }
    void add(std::uint8_t code) {
        const std::uint32_t waiting = size();
        if (waiting == Room) {
            throw LimitExceeded("more than " + std::to_string(Room) +
                                " messages of one caller that the manager has not handled");
        }
        messages[waiting] = code;
    }
};

}  // namespace lockkeeper::canal

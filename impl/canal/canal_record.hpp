// SPDX-License-Identifier: Apache-2.0

// The manager's side of one caller: the messages on their way from the caller, and the references
// to it. One record per caller; nothing in it names a caller, so that interchangeable callers can
// be permuted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "impl/canal/canal_options.hpp"
#include "impl/canal/canal_queue.hpp"
#include "impl/canal/canal_sizes.hpp"
#include "model/check.hpp"

namespace lockkeeper::canal {

// Messages from one sender arrive in order, messages from different senders in any order, and the
// manager handles one after the other: so the one mailbox is equivalent to one queue per sender,
// of which the manager may take any head. A sender's queue is some `lock` notifications (stored
// as runs of equal keys) and at most one `unlock` behind them, since the sender waits for its
// reply.
template <std::size_t Keys, std::size_t Runs, class Count>
struct Channel {
    static constexpr std::size_t kRuns = Runs;
    std::array<std::uint8_t, Runs> key;
    std::array<Count, Runs> times;
    Count unlock_key;

    [[nodiscard]] bool has_lock() const { return times[0] > 0; }
    [[nodiscard]] bool has_one_lock() const {
        std::uint32_t sum = 0;
        for (const Count count : times) {
            sum += count;
        }
        return sum == 1;
    }
    [[nodiscard]] std::size_t head() const { return key[0]; }
    [[nodiscard]] std::size_t key_of_unlock() const { return unlock_key; }
    void push_unlock(std::size_t to) { unlock_key = static_cast<Count>(to); }
    void pop_unlock() { unlock_key = 0; }

    [[nodiscard]] std::uint32_t locks_of(std::size_t of) const {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < Runs; ++i) {
            sum += key[i] == of ? times[i] : 0U;
        }
        return sum;
    }
    [[nodiscard]] static std::uint32_t unlocks_of(std::size_t) { return 0; }
    [[nodiscard]] std::uint32_t references_left(std::size_t of, std::uint32_t now) const {
        return now + locks_of(of);
    }
    void push(std::size_t to) {
        std::size_t last = 0;
        while (last + 1 < Runs && times[last + 1] > 0) {
            ++last;
        }
        if (times[last] > 0 && key[last] != to) {
            ++last;
        }
        if (last == Runs) {
            throw LimitExceeded("more than " + std::to_string(Runs) +
                                " runs of lock notifications of one caller in flight");
        }
        if (times[last] == std::numeric_limits<Count>::max()) {
            throw LimitExceeded("too many lock notifications of one caller in flight");
        }
        key[last] = static_cast<std::uint8_t>(to);
        ++times[last];
    }
    void pop() {
        if (--times[0] > 0) {
            return;
        }
        for (std::size_t i = 0; i + 1 < Runs; ++i) {
            key[i] = key[i + 1];
            times[i] = times[i + 1];
        }
        key[Runs - 1] = 0;
        times[Runs - 1] = 0;
    }
};

template <std::size_t Runs, class Count>
struct Channel<1, Runs, Count> {
    static constexpr std::size_t kRuns = 1;
    Count times;

    [[nodiscard]] bool has_lock() const { return times > 0; }
    [[nodiscard]] bool has_one_lock() const { return times == 1; }
    [[nodiscard]] std::size_t head() const { return 0; }
    [[nodiscard]] std::size_t key_of_unlock() const { return 0; }
    void push_unlock(std::size_t) {}
    void pop_unlock() {}
    [[nodiscard]] std::uint32_t locks_of(std::size_t) const { return times; }
    [[nodiscard]] static std::uint32_t unlocks_of(std::size_t) { return 0; }
    [[nodiscard]] std::uint32_t references_left(std::size_t, std::uint32_t now) const {
        return now + times;
    }
    void push(std::size_t) {
        if (times == std::numeric_limits<Count>::max()) [[unlikely]] {
            throw LimitExceeded("too many lock notifications of one caller in flight");
        }
        ++times;
    }
    void pop() { --times; }
};

// Kinds of counts that a (caller, key) has.
enum class ReferenceKind : std::uint8_t {
    kMonitored,  // the manager's references: for each a DOWN follows what the caller sent
    kOwned,      // entries of the caller in the row itself (repair kOwnersInRow)
};

template <class Count>
std::uint32_t get(const ReferenceCounts<Count>& references, ReferenceKind kind) {
    return kind == ReferenceKind::kMonitored ? references.monitored : references.owned;
}
template <class Count>
void set(ReferenceCounts<Count>& references, ReferenceKind kind, std::uint32_t value) {
    if (value > ReferenceCounts<Count>::kMax) {
        throw LimitExceeded("more than " + std::to_string(ReferenceCounts<Count>::kMax) +
                            " references of one caller to one key");
    }
    (kind == ReferenceKind::kMonitored ? references.monitored : references.owned) =
        static_cast<Count>(value);
}

template <class Size>
struct CanalRecord {
    enum Flag : std::uint8_t {
        kUnlockSent = 1U << 0,
        kReplied = 1U << 1,
        kDead = 1U << 2,
        kBeingReaped = 1U << 3,  // the manager is giving back what this dead caller held
    };

    static constexpr bool kQueued = Size::kQueue > 0;
    using Messages = std::conditional_t<kQueued, MessageQueue<Size::kQueue>,
                                        Channel<Size::kKeys, Size::kRuns, typename Size::Count>>;

    std::array<typename Size::References, Size::kKeys> references;
    Messages channel;
    typename Size::Count flags;

    [[nodiscard]] bool is(Flag flag) const { return (flags & flag) != 0; }
    void raise(Flag flag) { flags = static_cast<typename Size::Count>(flags | flag); }
    void lower(Flag flag) { flags = static_cast<typename Size::Count>(flags & ~flag); }
    // Whether the manager can handle an unlock next; where a lock is ahead of it, that is asked
    // before.
    [[nodiscard]] bool has_unlock() const {
        if constexpr (kQueued) {
            return channel.has_unlock();
        } else {
            return is(kUnlockSent);
        }
    }
    // `waits`: the sender waits for the reply. Without a queue every sender does.
    void send_unlock(std::size_t key, bool waits) {
        if (waits) {
            raise(kUnlockSent);
        }
        channel.push_unlock(key);
    }
    // Takes the next unlock; true: its sender waits for the reply.
    bool take_unlock(std::size_t& key) {
        const bool waits = is(kUnlockSent);
        key = channel.key_of_unlock();
        lower(kUnlockSent);
        channel.pop_unlock();
        return waits;
    }
    // References to the caller once the manager has handled all that was sent.
    [[nodiscard]] std::uint32_t references_left(std::size_t key) const {
        return channel.references_left(key, count(key, ReferenceKind::kMonitored));
    }
    [[nodiscard]] std::uint32_t count(std::size_t key, ReferenceKind kind) const {
        return get(references[key], kind);
    }
    void add(std::size_t key, ReferenceKind kind) {
        set(references[key], kind, count(key, kind) + 1);
    }
    void remove(std::size_t key, ReferenceKind kind) {
        LOCKKEEPER_CHECK(count(key, kind) > 0);
        set(references[key], kind, count(key, kind) - 1);
    }
};

}  // namespace lockkeeper::canal

// What the manager's side keeps about one caller: the messages on their way from it, the
// references to it. One record per caller; nothing in it names a caller, so that interchangeable
// callers can be permuted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "impl/canal/canal_options.hpp"
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
    void set_unlock_key(std::size_t to) { unlock_key = static_cast<Count>(to); }

    [[nodiscard]] std::uint32_t locks_of(std::size_t of) const {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < Runs; ++i) {
            sum += key[i] == of ? times[i] : 0U;
        }
        return sum;
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
    void set_unlock_key(std::size_t) {}
    [[nodiscard]] std::uint32_t locks_of(std::size_t) const { return times; }
    void push(std::size_t) { ++times; }
    void pop() { --times; }
};

// Kinds of counts that a (caller, key) has.
enum class ReferenceKind : std::uint8_t {
    kEarly,  // monitored while the caller lived; after its death its DOWN follows its messages
    kLate,   // monitored after the death: its DOWN is in the mailbox already
    kStale,  // DOWN messages whose reference is gone: handled and ignored
    kOwned,  // entries of the caller in the row itself (repair kOwnersInRow)
};

inline void check_limit(std::uint32_t value, std::uint32_t most) {
    if (value > most) {
        throw LimitExceeded("more than " + std::to_string(most) +
                            " references of one caller to one key");
    }
}

inline std::uint32_t get(const PackedReferences& references, ReferenceKind kind) {
    const std::uint8_t byte = kind == ReferenceKind::kEarly || kind == ReferenceKind::kOwned
                                  ? references.early_owned
                                  : references.late_stale;
    const bool low = kind == ReferenceKind::kEarly || kind == ReferenceKind::kLate;
    return low ? byte & 0xFU : byte >> 4U;
}

inline void set(PackedReferences& references, ReferenceKind kind, std::uint32_t value) {
    check_limit(value, PackedReferences::kMax);
    std::uint8_t& byte = kind == ReferenceKind::kEarly || kind == ReferenceKind::kOwned
                             ? references.early_owned
                             : references.late_stale;
    const bool low = kind == ReferenceKind::kEarly || kind == ReferenceKind::kLate;
    byte = static_cast<std::uint8_t>(low ? (byte & 0xF0U) | value : (byte & 0x0FU) | value << 4U);
}

inline std::uint16_t& field(WideReferences& references, ReferenceKind kind) {
    switch (kind) {
        case ReferenceKind::kEarly: return references.early;
        case ReferenceKind::kLate: return references.late;
        case ReferenceKind::kStale: return references.stale;
        case ReferenceKind::kOwned: return references.owned;
    }
    return references.early;
}
inline std::uint32_t get(const WideReferences& references, ReferenceKind kind) {
    WideReferences copy = references;
    return field(copy, kind);
}
inline void set(WideReferences& references, ReferenceKind kind, std::uint32_t value) {
    check_limit(value, WideReferences::kMax);
    field(references, kind) = static_cast<std::uint16_t>(value);
}

template <class Size>
struct CanalRecord {
    enum Flag : std::uint8_t {
        kUnlockSent = 1U << 0,
        kReplied = 1U << 1,
        kDead = 1U << 2,
        kBeingReaped = 1U << 3,  // the manager is giving back what this dead caller held
    };

    std::array<typename Size::References, Size::kKeys> references;
    Channel<Size::kKeys, Size::kRuns, typename Size::Count> channel;
    typename Size::Count flags;

    [[nodiscard]] bool is(Flag flag) const { return (flags & flag) != 0; }
    void raise(Flag flag) { flags = static_cast<typename Size::Count>(flags | flag); }
    void lower(Flag flag) { flags = static_cast<typename Size::Count>(flags & ~flag); }
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

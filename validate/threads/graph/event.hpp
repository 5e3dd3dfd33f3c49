// SPDX-License-Identifier: Apache-2.0

// The parts of an execution of a program with threads: events, their names, and clocks over them.
// Nothing here knows where the events come from: a program that runs, or a program as data.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>

namespace lockkeeper::threads {

using Thread = std::uint16_t;
constexpr Thread kThreadsMax = 16;
constexpr Thread kNobody = 0xffff;
// Events of one thread in one execution.
constexpr std::uint16_t kEventsMax = 60000;

// Which number a location of memory has: its owner decides, small numbers from 0.
using Location = std::uint32_t;

enum class Model : std::uint8_t {
    kSc,   // every atomic access is sequentially consistent
    kC11,  // RC11: the orders as written, without load buffering
};

enum class Order : std::uint8_t { kRelaxed, kAcquire, kRelease, kAcquireRelease, kSeqCst };
[[nodiscard]] constexpr bool acquires(Order order) {
    return order == Order::kAcquire || order >= Order::kAcquireRelease;
}
[[nodiscard]] constexpr bool releases(Order order) { return order >= Order::kRelease; }

enum class Kind : std::uint8_t {
    kLoad,   // also the read of a read-modify-write
    kStore,  // also its write
    kFence,
    kSpawn,   // of a thread: `value` is its number
    kStart,   // the first event of a thread, `from` its kSpawn
    kEnd,     // the last event of a thread
    kJoin,    // `from` is the kEnd of the thread
    kChoice,  // of the world: `value` is what was chosen, 0 is the usual
};

// The index-th event of a thread.
struct EventId {
    Thread thread = kNobody;
    std::uint16_t index = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const EventId&, const EventId&) = default;
};
// The value that a location has before any store.
constexpr EventId kInitial{};

// How many events of each thread are in a set that has with an event all earlier ones of its
// thread.
struct Clock {
    std::array<std::uint16_t, kThreadsMax> count{};

    void join(const Clock& other) {
        const auto theirs = other.count;  // the compiler may then take all threads at once
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            count[thread] = std::max(count[thread], theirs[thread]);
        }
    }
    void include(EventId event) {
        if (event != kInitial && count[event.thread] <= event.index) {
            count[event.thread] = static_cast<std::uint16_t>(event.index + 1);
        }
    }
    [[nodiscard]] bool has(EventId event) const {
        return event == kInitial || event.index < count[event.thread];
    }
};

struct Event {
    Kind kind = Kind::kChoice;
    Order order = Order::kRelaxed;
    bool is_rmw = false;  // a read with a write right behind it, or that write
    bool is_open =
        false;  // a read whose source has changed: what its thread makes of it is not known
    bool is_same_again = false;  // a load that reads what the one before it has, without a choice
    Location location = 0;
    std::uint32_t stamp = 0;  // when it was added to the graph
    std::uint32_t place = 0;  // stores: in the modification order of the location
    EventId from;             // reads: the store; kStart: kSpawn; kJoin: kEnd
    std::uint64_t value = 0;
    std::uint64_t site = 0;  // where it stands in the program, for people
    Clock happens_before;    // what happens before it, itself included
    Clock causes;            // what it depends on by program order and reads-from, itself included
    Clock message;           // stores: what happens before an acquire load that reads it
};

}  // namespace lockkeeper::threads

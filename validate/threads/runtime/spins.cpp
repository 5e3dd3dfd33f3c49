// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/spins.hpp"

#include <algorithm>

namespace lockkeeper::threads {

// Words go to four hashes in turn, which do not wait for each other: each access of an atomic
// variable asks for this.
std::uint64_t state_of(const Fiber& fiber) {
    constexpr std::size_t kHashes = 4;
    constexpr std::uint64_t kFactor = 0xff51afd7ed558ccdU;
    // A bijection of each of the two: no word can erase what stands before it.
    const auto add = [](std::uint64_t hash, std::uint64_t word) {
        hash = (hash ^ word) * kFactor;
        return hash ^ hash >> 32;
    };
    std::uint64_t hashes[kHashes] = {0x9e3779b97f4a7c15U, 1, 2, 3};
    const auto* end = reinterpret_cast<const std::uint64_t*>(fiber.stack + kStackBytes);
    const auto* at = static_cast<const std::uint64_t*>(fiber.top);
    for (; end - at >= static_cast<std::ptrdiff_t>(kHashes); at += kHashes) {
        for (std::size_t each = 0; each < kHashes; ++each) {
            hashes[each] = add(hashes[each], at[each]);
        }
    }
    std::uint64_t hash = static_cast<std::uint64_t>(end - at);
    for (; at < end; ++at) {
        hash = add(hash, *at);
    }
    for (const std::uint64_t one : hashes) {
        hash = add(hash, one);
    }
    return add(hash, fiber.held);
}

namespace {

std::uint64_t with_value(std::uint64_t state, std::uint64_t value) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
    return state ^ (value + 1) * kFactor;
}

bool is_known_spin(const Fiber& fiber, std::uint64_t value) {
    const std::uint64_t key = with_value(fiber.state, value);
    return std::find(fiber.known_spins.begin(), fiber.known_spins.end(), key) !=
           fiber.known_spins.end();
}

// The loop depends on nothing but the state and the value: no memory is read in it, and no clock.
// The load is its only event. One that stands behind the load, the store of the same value or a
// fence, keeps the load in the graph: a graph of before must mean the same when the loop is known.
void know_spin(Fiber& fiber, std::uint16_t epoch) {
    constexpr std::size_t kKnownMax = 64;
    if (epoch == fiber.epoch_at_load && fiber.accesses == fiber.accesses_at_load &&
        fiber.effects == fiber.effects_at_load && !fiber.spins_by_clock &&
        fiber.known_spins.size() < kKnownMax && !is_known_spin(fiber, fiber.value_read)) {
        fiber.known_spins.push_back(with_value(fiber.state, fiber.value_read));
    }
}

// The thread has the locks of the round again and again.
void note_left_out(Hosted& host, Thread thread, std::uint16_t loads) {
    host.was_round_left_out = true;
    const std::span<const Event> events = host.search.graph().events(thread);
    const unsigned end = host.search.next_epoch(thread) - 1U;
    for (unsigned index = host.search.round_of(thread, loads); index < end; ++index) {
        if (events[index].kind == Kind::kStore) {
            host.words[events[index].location].left_out_by |= std::uint64_t{1} << thread;
        }
    }
}

// The thread is where it was, and has changed nothing since: it spins. How many loads ago; 0: it
// does not.
std::uint16_t loads_of_spin(Hosted& host, Thread thread) {
    Fiber& fiber = host.fibers[thread];
    if (fiber.has_changed) {
        fiber.marks.clear();
        fiber.has_changed = false;
    }
    fiber.state = state_of(fiber);
    for (const SpinMark& mark : fiber.marks) {
        if (mark.state == fiber.state) {
            fiber.spins_by_clock = fiber.looks_at_clocks > mark.looks_at_clocks;
            const auto loads = static_cast<std::uint16_t>(fiber.reads - mark.reads);
            const bool has_locked = fiber.changes_of_locks != mark.changes_of_locks;
            // Others wait for what it holds: it waits where it holds least.
            if (has_locked && std::any_of<const SpinMark*>(
                                  &mark, &fiber.marks.back() + 1,
                                  [&](const SpinMark& one) { return one.locks < fiber.locks; })) {
                return 0;
            }
            if (has_locked) {
                note_left_out(host, thread, loads);
            }
            if (loads == 1) {
                know_spin(fiber, host.search.next_epoch(thread));
            }
            return loads;
        }
    }
    fiber.marks.push_back(
        {fiber.state, fiber.reads, fiber.looks_at_clocks, fiber.changes_of_locks, fiber.locks});
    return 0;
}

// The request stands on the stack, too.
void count_as_met(Fiber& fiber, Request& request) {
    request.result = 1;
    fiber.state = state_of(fiber);
    fiber.marks.assign(
        1, {fiber.state, fiber.reads, fiber.looks_at_clocks, fiber.changes_of_locks, fiber.locks});
}

// The loads of each thread that is where it was, and would go round once more.
Search::Rounds rounds_of(const Hosted& host) {
    Search::Rounds rounds{};
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        const Request* request = host.fibers[thread].request;
        if (host.search.is_known(thread) && request != nullptr && request->result > 1) {
            rounds[thread] = static_cast<std::uint16_t>(request->result - 1);
        }
    }
    return rounds;
}

}  // namespace

Change decide_or_spin(std::uint64_t value, const void* or_spin) {
    const auto& given = *static_cast<const OrSpin*>(or_spin);
    if (is_known_spin(*given.fiber, value)) {
        return {Change::Way::kBlock, 0};
    }
    return given.decide == nullptr ? Change{} : given.decide(value, given.context);
}

bool is_spinning(Hosted& host, Thread thread, Request& request) {
    Fiber& fiber = host.fibers[thread];
    if (request.result == 0) {  // asked for the first time
        request.result = 1;
        request.result = 1U + loads_of_spin(host, thread);
    }
    if (request.result > 1 && host.search.leaves_spin(thread, rounds_of(host))) {
        // This place counts as met: else each run would add a load to those that it repeats.
        count_as_met(fiber, request);
    }
    return request.result > 1;
}

// Its own mark stays, and those of the loops around it: in a run that repeats this one the load has
// not been taken back, and the same loops are to be seen.
void begin_loop_again(Fiber& fiber, Request& request) {
    fiber.reads = static_cast<std::uint16_t>(fiber.reads - (request.result - 1));
    request.result = 1;
}

}  // namespace lockkeeper::threads

// SPDX-License-Identifier: Apache-2.0

// Keeps what the test marks (lockkeeper/marks.hpp). marked/ judges it.
#include "validate/threads/include/lockkeeper/marks.hpp"

#include <iterator>
#include <string>

#include "validate/threads/marked/mark_words.hpp"
#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

constexpr std::uint32_t kUnitsMax = 65535;

// By lockkeeper_mark.
struct KindOfMark {
    Mark::What what;
    const char* text;
    bool is_reentrant = false;
    bool has_end = false;
};
constexpr KindOfMark kKinds[] = {
    {Mark::What::kAcquiring, words::kAsksFor},
    {Mark::What::kAcquired, words::kHolds},
    {Mark::What::kRefused, words::kIsRefused},
    {Mark::What::kReleasing, words::kGivesBack},
    {Mark::What::kReleased, words::kHasGivenBack},
    {Mark::What::kAcquiring, words::kAsksFor, true, false},
    {Mark::What::kAcquired, words::kHoldsForATime, false, true},
    {Mark::What::kExpired, words::kHoldsNoLonger},
    {Mark::What::kLost, words::kIsToldThatItHasLost},
    {Mark::What::kLook, "looks what is free of"},
    {Mark::What::kAtRest, "has looked at"},
};

// Where a thread is with a lock.
struct Calls {
    bool is_acquiring = false;
    bool is_releasing = false;
    std::size_t held = 0;
};

Calls calls_before(const Mark& next) {
    Calls calls;
    for (const Mark& mark : hosted->marks) {
        if (mark.thread != next.thread || mark.lock != next.lock || mark.life != next.life) {
            continue;
        }
        switch (mark.what) {
            case Mark::What::kAcquiring: calls.is_acquiring = true; break;
            case Mark::What::kAcquired: ++calls.held; [[fallthrough]];
            case Mark::What::kRefused: calls.is_acquiring = false; break;
            case Mark::What::kReleasing:
                --calls.held;
                calls.is_releasing = true;
                break;
            case Mark::What::kReleased:
            case Mark::What::kLost: calls.is_releasing = false; break;
            case Mark::What::kExpired:
            case Mark::What::kLook:
            case Mark::What::kAtRest: break;
        }
    }
    return calls;
}

// Null: the mark may come here.
const char* what_is_wrong_with(const Mark& mark) {
    const Calls calls = calls_before(mark);
    const bool is_calling = calls.is_acquiring || calls.is_releasing;
    switch (mark.what) {
        case Mark::What::kAcquiring:
            if (mark.capacity == 0 || mark.capacity > kUnitsMax || mark.units == 0 ||
                mark.units > kUnitsMax) {
                return "a mark has a capacity or units that are not from 1 to 65535";
            }
            [[fallthrough]];
        case Mark::What::kLook:
            return is_calling ? "a mark begins a call in the middle of another of the same lock"
                              : nullptr;
        case Mark::What::kAcquired:
        case Mark::What::kRefused:
            return calls.is_acquiring ? nullptr
                                      : "a mark ends a call that the thread has not begun";
        case Mark::What::kReleasing:
            return is_calling ? "a mark begins a call in the middle of another of the same lock"
                   : calls.held > 0 ? nullptr
                                    : "a mark gives back what the thread does not hold";
        case Mark::What::kReleased:
        case Mark::What::kLost:
            return calls.is_releasing ? nullptr
                                      : "a mark ends a call that the thread has not begun";
        case Mark::What::kExpired:
            return calls.held > 0 ? nullptr
                                  : "a mark ends the time of what the thread does not hold";
        case Mark::What::kAtRest: break;
    }
    return nullptr;
}

void tell_mark(const Fiber& fiber, const KindOfMark& kind, const void* lock) {
    const AsHost host;
    Told told;
    told.thread = host.thread();
    told.address = reinterpret_cast<std::uint64_t>(lock);
    told.text = kind.text;
    told.is_mark = true;
    told.calls = fiber.calls;
    hosted->told.push_back(told);
}

}  // namespace
}  // namespace lockkeeper::threads

extern "C" void lockkeeper_mark_threads(int what, const void* lock, unsigned capacity,
                                        unsigned units) {
    using namespace lockkeeper::threads;
    const auto site = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
    Fiber* fiber = running();
    if (fiber != nullptr && what == lockkeeper_mark_gone) {
        const AsHost host;
        ++hosted->lives_of_locks[lock];
        return;
    }
    if (fiber == nullptr || what < 0 || what >= static_cast<int>(std::size(kKinds))) {
        return;
    }
    const KindOfMark& kind = kKinds[what];
    ++fiber->effects;
    if (hosted->is_telling) {
        note_calls(site);
        tell_mark(*fiber, kind, lock);
    }
    const char* wrong = nullptr;
    {
        const AsHost host;
        Mark mark;
        mark.what = kind.what;
        mark.is_reentrant = kind.is_reentrant;
        mark.has_end = kind.has_end;
        mark.thread = host.thread();
        mark.at = static_cast<std::uint16_t>(hosted->search.next_epoch(mark.thread) - 1);
        mark.lock = lock;
        const auto gone = hosted->lives_of_locks.find(lock);
        mark.life = gone == hosted->lives_of_locks.end() ? 0 : gone->second;
        mark.capacity = capacity;
        mark.units = units;
        mark.site = site;
        wrong = what_is_wrong_with(mark);
        hosted->marks.push_back(mark);
    }
    fiber->has_changed = true;
    if (wrong != nullptr) {
        refuse((std::string(wrong) + " (lockkeeper/marks.hpp)").c_str(), site);
    }
}

// SPDX-License-Identifier: Apache-2.0

// std::atomic_load, atomic_store and their kin of std::shared_ptr lock a mutex of the C++ library's
// own while they access it, which address and library choose. Here each pointer has a lock of its
// own: a word.
#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

Change lock_pointer(std::uint64_t value, const void*) {
    return value == 0 ? Change{Change::Way::kWrite, 1} : Change{Change::Way::kBlock, 0};
}
Change unlock_pointer(std::uint64_t, const void*) { return {Change::Way::kWrite, 0}; }

void change_pointer(const void* pointer, bool locks, const void* site) {
    WordChange change{pointer, locks ? lock_pointer : unlock_pointer};
    change.order = locks ? Order::kAcquire : Order::kRelease;
    change.text = locks ? "lock of a shared_ptr" : "unlock of a shared_ptr";
    change.site = site;
    change.shares_memory = true;
    change.is_lock = true;
    change_word(change);
}

void take_pointer(const void* pointer, const void* site) {
    {
        Fiber& fiber = *running();
        const AsHost host;
        fiber.shared_pointers.push_back(pointer);
    }
    if (pointer != nullptr) {
        change_pointer(pointer, true, site);
    }
}

void give_pointer(const void* site) {
    std::vector<const void*>& locked = running()->shared_pointers;
    const void* pointer = locked.back();
    locked.pop_back();
    if (pointer != nullptr) {
        change_pointer(pointer, false, site);
    }
}

// In the order of addresses, so that two threads do not wait for each other; twice the same is one.
void lock_two(const void* one, const void* other, const void* site) {
    if (running() != nullptr) {
        take_pointer(one == other ? nullptr : (one < other ? one : other), site);
        take_pointer(one < other ? other : one, site);
    }
}
void unlock_two(const void* site) {
    if (running() != nullptr) {
        give_pointer(site);
        give_pointer(site);
    }
}

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)
// std::_Sp_locker's constructors and destructor. Weak: as in exceptions.cpp.
#define LOCKKEEPER_NAMED(NAME) asm(NAME) __attribute__((weak))

extern "C" {

void lockkeeper_lock_pointer(void* locker, const void* pointer) noexcept
    LOCKKEEPER_NAMED("_ZNSt10_Sp_lockerC1EPKv");
void lockkeeper_lock_pointer_too(void* locker, const void* pointer) noexcept
    LOCKKEEPER_NAMED("_ZNSt10_Sp_lockerC2EPKv");
void lockkeeper_lock_pointers(void* locker, const void* one, const void* other) noexcept
    LOCKKEEPER_NAMED("_ZNSt10_Sp_lockerC1EPKvS1_");
void lockkeeper_lock_pointers_too(void* locker, const void* one, const void* other) noexcept
    LOCKKEEPER_NAMED("_ZNSt10_Sp_lockerC2EPKvS1_");
void lockkeeper_unlock_pointers(void* locker) noexcept LOCKKEEPER_NAMED("_ZNSt10_Sp_lockerD1Ev");
void lockkeeper_unlock_pointers_too(void* locker) noexcept
    LOCKKEEPER_NAMED("_ZNSt10_Sp_lockerD2Ev");

void lockkeeper_lock_pointer(void*, const void* pointer) noexcept {
    lock_two(pointer, pointer, LOCKKEEPER_HERE);
}
void lockkeeper_lock_pointer_too(void*, const void* pointer) noexcept {
    lock_two(pointer, pointer, LOCKKEEPER_HERE);
}
void lockkeeper_lock_pointers(void*, const void* one, const void* other) noexcept {
    lock_two(one, other, LOCKKEEPER_HERE);
}
void lockkeeper_lock_pointers_too(void*, const void* one, const void* other) noexcept {
    lock_two(one, other, LOCKKEEPER_HERE);
}
void lockkeeper_unlock_pointers(void*) noexcept { unlock_two(LOCKKEEPER_HERE); }
void lockkeeper_unlock_pointers_too(void*) noexcept { unlock_two(LOCKKEEPER_HERE); }

}  // extern "C"

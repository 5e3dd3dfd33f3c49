// SPDX-License-Identifier: Apache-2.0

// Mutexes, reader-writer locks and spin locks. A mutex's word is 0, or its owner's number + 1 with
// the depth above it; a reader-writer lock's is its writer's number + 1, with the readers above it.
#include <algorithm>
#include <cerrno>

#include "validate/threads/runtime/clean_hook.hpp"
#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

constexpr std::uint64_t kOwner = 0xff;
constexpr std::uint64_t kOne = 0x100;  // a level of depth, a reader

struct Asker {
    std::uint64_t name;  // number + 1
    bool is_recursive = false;
    bool is_told = false;  // of its own mistakes, by an error: the kind that checks
    bool reads = false;    // holds the lock for reading
};
Asker asker() { return {std::uint64_t{hosted->current} + 1}; }
Asker asker_of(const pthread_mutex_t* mutex) {
    const int kind = mutex->__data.__kind & 3;
    Asker who = asker();
    who.is_recursive = kind == PTHREAD_MUTEX_RECURSIVE;
    who.is_told = kind == PTHREAD_MUTEX_ERRORCHECK;
    return who;
}

Change lock_or_wait(std::uint64_t value, const void* context) {
    const auto& who = *static_cast<const Asker*>(context);
    if (value == 0) {
        return {Change::Way::kWrite, who.name};
    }
    if ((value & kOwner) == who.name && who.is_recursive) {
        return {Change::Way::kWrite, value + kOne};
    }
    const bool is_refused = (value & kOwner) == who.name && who.is_told;
    return is_refused ? Change{} : Change{Change::Way::kBlock, 0};
}
Change lock_or_leave(std::uint64_t value, const void* context) {
    const Change change = lock_or_wait(value, context);
    return change.way == Change::Way::kBlock ? Change{} : change;
}
Change unlock(std::uint64_t value, const void* context) {
    const auto& who = *static_cast<const Asker*>(context);
    if ((value & kOwner) != who.name) {
        return {};
    }
    return {Change::Way::kWrite, value >= kOne ? value - kOne : 0};
}

Change read_or_wait(std::uint64_t value, const void*) {
    return (value & kOwner) == 0 ? Change{Change::Way::kWrite, value + kOne}
                                 : Change{Change::Way::kBlock, 0};
}
Change read_or_leave(std::uint64_t value, const void* context) {
    const Change change = read_or_wait(value, context);
    return change.way == Change::Way::kBlock ? Change{} : change;
}
Change leave_section(std::uint64_t value, const void* context) {
    const auto& who = *static_cast<const Asker*>(context);
    if ((value & kOwner) == who.name) {
        return {Change::Way::kWrite, 0};
    }
    return who.reads && value >= kOne ? Change{Change::Way::kWrite, value - kOne} : Change{};
}

bool is_changed(Search::Decide decide, std::uint64_t value, const Asker& who) {
    return decide(value, &who).way == Change::Way::kWrite;
}

WordChange taking(const void* object, Search::Decide decide, const Asker& who, const char* text,
                  const void* site) {
    WordChange change{object, decide, &who, Order::kAcquire, Order::kRelaxed, text, site};
    change.is_lock = true;
    return change;
}

int try_word(const void* object, Search::Decide decide, const Asker& who, const char* text,
             const void* site) {
    WordChange change = taking(object, decide, who, text, site);
    change.tries = true;
    return is_changed(decide, change_word(change), who) ? 0 : EBUSY;
}

int take_word(const void* object, Search::Decide waits, Search::Decide tries, bool is_timed,
              const Asker& who, const char* text, const void* site) {
    if (is_timed && chooses_time_out(site)) {
        return try_word(object, tries, who, text, site) == 0 ? 0 : ETIMEDOUT;
    }
    WordChange change = taking(object, waits, who, text, site);
    change.may_time_out = is_timed;
    return is_changed(waits, change_word(change), who) ? 0 : EDEADLK;
}

int give_word(const void* object, Search::Decide decide, const Asker& who, const char* text,
              const char* wrong, const void* site) {
    WordChange change{object, decide, &who, Order::kRelease, Order::kRelaxed, text, site};
    change.is_lock = true;
    const std::uint64_t value = change_word(change);
    if (!is_changed(decide, value, who)) {
        if (who.is_told) {
            return EPERM;
        }
        found("unlock of a lock that is not held", wrong, reinterpret_cast<std::uint64_t>(site));
    }
    return 0;
}

// Readers that wait for a writer that waits: without it a thread that reads twice would pass.
int read_word(const pthread_rwlock_t* lock, Search::Decide waits, Search::Decide tries,
              bool is_timed, const char* text, const void* site) {
    if (lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) {
        refuse(
            "a pthread_rwlock_t that prefers writers (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_"
            "NP) is not hosted",
            reinterpret_cast<std::uint64_t>(site));
    }
    const int error = waits == nullptr
                          ? try_word(lock, tries, asker(), text, site)
                          : take_word(lock, waits, tries, is_timed, asker(), text, site);
    if (error == 0) {
        Fiber& fiber = *running();
        const AsHost host;
        fiber.read_locks.push_back(lock);
    }
    return error;
}

int lock_for_reading(pthread_rwlock_t* lock, const timespec* until, const void* site) {
    note_read_by(until, site);
    return running() == nullptr ? 0
                                : read_word(lock, read_or_wait, read_or_leave, until != nullptr,
                                            "lock_shared", site);
}
int lock_for_writing(pthread_rwlock_t* lock, const timespec* until, const void* site) {
    note_read_by(until, site);
    return running() == nullptr ? 0
                                : take_word(lock, lock_or_wait, lock_or_leave, until != nullptr,
                                            asker(), "lock", site);
}

int leave_rwlock(const pthread_rwlock_t* lock, const void* site) {
    std::vector<const void*>& read_locks = running()->read_locks;
    const auto own = std::find(read_locks.begin(), read_locks.end(), lock);
    Asker who = asker();
    who.reads = own != read_locks.end();
    if (who.reads) {
        read_locks.erase(own);
    }
    return give_word(lock, leave_section, who, "unlock",
                     "the thread unlocks a lock that it does not hold", site);
}

}  // namespace

int lock_mutex(pthread_mutex_t* mutex, bool is_timed, const void* site) {
    return take_word(mutex, lock_or_wait, lock_or_leave, is_timed, asker_of(mutex), "lock", site);
}

int unlock_mutex(pthread_mutex_t* mutex, const void* site) {
    return give_word(mutex, unlock, asker_of(mutex), "unlock",
                     "the thread unlocks a mutex that it does not hold", site);
}

int try_mutex(pthread_mutex_t* mutex, const void* site) {
    return try_word(mutex, lock_or_leave, asker_of(mutex), "try_lock", site);
}

}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)

extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
    int kind = PTHREAD_MUTEX_NORMAL;
    if (attributes != nullptr) {
        int robustness = PTHREAD_MUTEX_STALLED;
        pthread_mutexattr_gettype(attributes, &kind);
        pthread_mutexattr_getrobust(attributes, &robustness);
        if (robustness == PTHREAD_MUTEX_ROBUST) {
            refuse("a robust mutex is not hosted",
                   reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));
        }
    }
    renew_object(mutex, sizeof(*mutex), LOCKKEEPER_HERE);
    *mutex = PTHREAD_MUTEX_INITIALIZER;
    mutex->__data.__kind = kind;
    return 0;
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
    end_lock(mutex, sizeof(*mutex), LOCKKEEPER_HERE);
    return 0;
}
LOCKKEEPER_CLEAN_HOOK(pthread_mutex_lock)
int lockkeeper_pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    return !is_asked(LOCKKEEPER_HERE) ? 0 : lock_mutex(mutex, false, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_mutex_trylock)
int lockkeeper_pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    return !is_asked(LOCKKEEPER_HERE) ? 0 : try_mutex(mutex, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_mutex_timedlock)
int lockkeeper_pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr ? 0 : lock_mutex(mutex, true, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_mutex_clocklock)
int lockkeeper_pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t,
                                       const timespec* time) noexcept {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr ? 0 : lock_mutex(mutex, true, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_mutex_unlock)
int lockkeeper_pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    return !is_asked(LOCKKEEPER_HERE) ? 0 : unlock_mutex(mutex, LOCKKEEPER_HERE);
}

int pthread_spin_init(pthread_spinlock_t* lock, int) noexcept {
    renew_object(const_cast<int*>(lock), sizeof(*lock), LOCKKEEPER_HERE);
    *lock = 0;
    return 0;
}
int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
    end_lock(const_cast<int*>(lock), sizeof(*lock), LOCKKEEPER_HERE);
    return 0;
}
LOCKKEEPER_CLEAN_HOOK(pthread_spin_lock)
int lockkeeper_pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
    return running() == nullptr ? 0
                                : take_word(const_cast<int*>(lock), lock_or_wait, lock_or_leave,
                                            false, asker(), "lock", LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_spin_trylock)
int lockkeeper_pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
    return running() == nullptr ? 0
                                : try_word(const_cast<int*>(lock), lock_or_leave, asker(),
                                           "try_lock", LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_spin_unlock)
int lockkeeper_pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
    return running() == nullptr
               ? 0
               : give_word(const_cast<int*>(lock), unlock, asker(), "unlock",
                           "the thread unlocks a spin lock that it does not hold", LOCKKEEPER_HERE);
}

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
    int kind = PTHREAD_RWLOCK_DEFAULT_NP;
    if (attributes != nullptr) {
        pthread_rwlockattr_getkind_np(attributes, &kind);
    }
    renew_object(lock, sizeof(*lock), LOCKKEEPER_HERE);
    *lock = PTHREAD_RWLOCK_INITIALIZER;
    lock->__data.__flags = static_cast<unsigned>(kind);
    return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
    end_lock(lock, sizeof(*lock), LOCKKEEPER_HERE);
    return 0;
}

LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_rdlock)
int lockkeeper_pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    return lock_for_reading(lock, nullptr, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_timedrdlock)
int lockkeeper_pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
    return lock_for_reading(lock, time, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_clockrdlock)
int lockkeeper_pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t,
                                          const timespec* time) noexcept {
    return lock_for_reading(lock, time, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_wrlock)
int lockkeeper_pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    return lock_for_writing(lock, nullptr, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_timedwrlock)
int lockkeeper_pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
    return lock_for_writing(lock, time, LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_clockwrlock)
int lockkeeper_pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t,
                                          const timespec* time) noexcept {
    return lock_for_writing(lock, time, LOCKKEEPER_HERE);
}

LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_tryrdlock)
int lockkeeper_pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
    return running() == nullptr
               ? 0
               : read_word(lock, nullptr, read_or_leave, false, "try_lock_shared", LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_trywrlock)
int lockkeeper_pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
    return running() == nullptr
               ? 0
               : try_word(lock, lock_or_leave, asker(), "try_lock", LOCKKEEPER_HERE);
}
LOCKKEEPER_CLEAN_HOOK(pthread_rwlock_unlock)
int lockkeeper_pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
    return running() == nullptr ? 0 : leave_rwlock(lock, LOCKKEEPER_HERE);
}

}  // extern "C"

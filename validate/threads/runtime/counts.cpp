// SPDX-License-Identifier: Apache-2.0

// What counts: semaphores, and what is done once (pthread_once, local statics).
#include <cxxabi.h>
#include <semaphore.h>

#include <cerrno>
#include <cstring>

#include "validate/threads/runtime/barriers.hpp"
#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

Change take_permit(std::uint64_t value, const void*) {
    return value > 0 ? Change{Change::Way::kWrite, value - 1} : Change{Change::Way::kBlock, 0};
}
Change try_permit(std::uint64_t value, const void*) {
    return value > 0 ? Change{Change::Way::kWrite, value - 1} : Change{};
}
Change give_permit(std::uint64_t value, const void*) { return {Change::Way::kWrite, value + 1}; }

unsigned count_in(const void* object) {
    unsigned count = 0;
    std::memcpy(&count, object, sizeof(count));
    return count;
}
void count_into(void* object, unsigned count) { std::memcpy(object, &count, sizeof(count)); }

int take_semaphore(sem_t* semaphore, bool waits, bool is_timed, const void* site) {
    const unsigned initial = count_in(semaphore);
    WordChange change{semaphore, waits ? take_permit : try_permit};
    change.text = waits ? "acquire" : "try_acquire";
    change.site = site;
    change.initial = initial;
    if (is_timed && chooses_time_out(site)) {
        change.decide = try_permit;
        waits = false;
    }
    change.may_time_out = is_timed && waits;
    if (change_word(change) > 0) {
        return 0;
    }
    errno = is_timed ? ETIMEDOUT : EAGAIN;
    return -1;
}

// A word of what is done once: 0, 1 while it is done, 2.
Change begin_once(std::uint64_t value, const void*) {
    return value == 0   ? Change{Change::Way::kWrite, 1}
           : value == 1 ? Change{Change::Way::kBlock, 0}
                        : Change{};
}
Change set_once(std::uint64_t, const void* to) {
    return {Change::Way::kWrite, *static_cast<const std::uint64_t*>(to)};
}
bool enter_once(const void* object, bool was_done, const void* site) {
    return change_word({object, begin_once, nullptr, Order::kAcquireRelease, Order::kAcquire,
                        "once", site, was_done ? 2U : 0U, false, true}) == 0;
}
void leave_once(const void* object, std::uint64_t to, const void* site) {
    change_word({object, set_once, &to, Order::kRelease, Order::kRelease, "once is done", site, 0,
                 false, true});
}

Change leave_as_is(std::uint64_t, const void*) { return {}; }

}  // namespace

void do_once(pthread_once_t* once, void (*function)(), const void* site) {
    if (!is_asked(site)) {
        if (*once == 0) {
            function();
            *once = 2;
        }
        return;
    }
    if (!enter_once(once, *once == 2, site)) {
        return;
    }
    try {
        function();
    } catch (...) {
        leave_once(once, 0, site);
        throw;
    }
    leave_once(once, 2, site);
}

}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)

extern "C" {

int sem_init(sem_t* semaphore, int, unsigned value) noexcept {
    renew_object(semaphore, sizeof(*semaphore), LOCKKEEPER_HERE);
    count_into(semaphore, value);
    return 0;
}
int sem_destroy(sem_t* semaphore) noexcept {
    renew_object(semaphore, sizeof(*semaphore), LOCKKEEPER_HERE);
    return 0;
}
int sem_wait(sem_t* semaphore) {
    return running() == nullptr ? 0 : take_semaphore(semaphore, true, false, LOCKKEEPER_HERE);
}
int sem_trywait(sem_t* semaphore) noexcept {
    return running() == nullptr ? 0 : take_semaphore(semaphore, false, false, LOCKKEEPER_HERE);
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr ? 0 : take_semaphore(semaphore, true, true, LOCKKEEPER_HERE);
}
int sem_clockwait(sem_t* semaphore, clockid_t, const timespec* time) {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr ? 0 : take_semaphore(semaphore, true, true, LOCKKEEPER_HERE);
}
int sem_post(sem_t* semaphore) noexcept {
    if (running() != nullptr) {
        change_word({semaphore, give_permit, nullptr, Order::kRelease, Order::kRelease, "release",
                     LOCKKEEPER_HERE, count_in(semaphore), false, false});
    }
    return 0;
}
int sem_getvalue(sem_t* semaphore, int* value) noexcept {
    note_written_by(value, LOCKKEEPER_HERE);
    if (running() == nullptr) {
        *value = static_cast<int>(count_in(semaphore));
        return 0;
    }
    *value = static_cast<int>(
        change_word({semaphore, leave_as_is, nullptr, Order::kRelaxed, Order::kRelaxed, "value",
                     LOCKKEEPER_HERE, count_in(semaphore), false, false}));
    return 0;
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t*,
                         unsigned count) noexcept {
    if (count == 0) {
        return EINVAL;
    }
    renew_object(barrier, sizeof(*barrier), LOCKKEEPER_HERE);
    count_into(barrier, count);
    return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
    renew_object(barrier, sizeof(*barrier), LOCKKEEPER_HERE);
    return 0;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
    return running() == nullptr ? 0 : wait_at_barrier(barrier, count_in(barrier), LOCKKEEPER_HERE);
}

int pthread_once(pthread_once_t* once, void (*function)()) {
    do_once(once, function, LOCKKEEPER_HERE);
    return 0;
}

// The first byte of a guard is an atomic variable of the program; the runtime's word stands beside
// it.
int __cxa_guard_acquire(abi::__guard* guard) {
    std::uint8_t* done = reinterpret_cast<std::uint8_t*>(guard);
    if (running() == nullptr) {
        return *done == 0 ? 1 : 0;
    }
    return enter_once(done + 1, *done != 0, LOCKKEEPER_HERE) ? 1 : 0;
}
void __tsan_atomic8_store(volatile std::uint8_t* at, std::uint8_t value, int order);
void __cxa_guard_release(abi::__guard* guard) noexcept {
    std::uint8_t* done = reinterpret_cast<std::uint8_t*>(guard);
    if (running() == nullptr) {
        *done = 1;
        return;
    }
    __tsan_atomic8_store(done, 1, __ATOMIC_RELEASE);
    leave_once(done + 1, 2, LOCKKEEPER_HERE);
}
void __cxa_guard_abort(abi::__guard* guard) noexcept {
    if (running() != nullptr) {
        leave_once(reinterpret_cast<std::uint8_t*>(guard) + 1, 0, LOCKKEEPER_HERE);
    }
}

}  // extern "C"

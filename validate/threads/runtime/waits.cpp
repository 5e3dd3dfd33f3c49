// SPDX-License-Identifier: Apache-2.0

// What waits until it is woken: condition variables and futexes.
#include "validate/threads/runtime/waits.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>

namespace lockkeeper::threads {

std::uint64_t change_word(const WordChange& change) {
    Request request;
    request.what = Request::What::kModify;
    request.is_memory = false;
    request.is_lock = change.is_lock;
    request.tries = change.tries;
    request.has_lives = change.has_lives && !change.shares_memory;
    request.object = change.shares_memory ? ObjectUse::kNone : change.use;
    request.size = 1;
    request.may_time_out = change.may_time_out;
    request.order = change.order;
    request.order_left = change.order_left;
    request.address = reinterpret_cast<std::uint64_t>(change.object);
    request.argument = change.initial;
    request.decide = change.decide;
    request.context = change.context;
    request.text = change.text;
    request.site = reinterpret_cast<std::uint64_t>(change.site);
    return ask(request);
}

std::uint64_t choose(std::uint64_t count, const char* text, const void* site) {
    Request request;
    request.what = Request::What::kChoose;
    request.value = count;
    request.text = text;
    request.site = reinterpret_cast<std::uint64_t>(site);
    return ask(request);
}

namespace {

bool chooses(std::uint16_t& so_far, std::uint16_t limit, const char* text, const void* site) {
    if (so_far >= limit) {
        hosted->was_bounded = true;
        return false;
    }
    const bool chosen = choose(2, text, site) == 1;
    so_far = static_cast<std::uint16_t>(so_far + (chosen ? 1 : 0));
    return chosen;
}

}  // namespace

bool chooses_spurious(const void* site) {
    return chooses(running()->spurious, hosted->settings.spurious_max,
                   "no spurious wake-up|a spurious wake-up", site);
}
bool chooses_failure(const void* site) {
    return chooses(running()->failures, hosted->settings.allocation_failures_max,
                   "the allocation succeeds|the allocation fails", site);
}
bool chooses_weak_failure(const void* site) {
    return chooses(running()->weak_failures, hosted->settings.weak_failures_max,
                   "the weak exchange does what it should|the weak exchange fails for nothing",
                   site);
}
bool chooses_time_out(const void* site, const char* text) {
    if (!chooses(running()->timeouts, hosted->settings.timeouts_max, text, site)) {
        return false;
    }
    // So much that the end of every wait has come: whoever looks at a clock sees it.
    running()->passed += std::int64_t{365} * 24 * 3600 * 1'000'000'000;
    return true;
}

namespace {

// Not std::popcount: the compiler would call a function of its library.
std::uint64_t count_bits(std::uint64_t value) {
    std::uint64_t count = 0;
    for (; value != 0; value &= value - 1) {
        ++count;
    }
    return count;
}

// A word of waiters: a bit for each thread.
Change leave_as_is(std::uint64_t, const void*) { return {}; }
Change enter_queue(std::uint64_t value, const void* bit) {
    return {Change::Way::kWrite, value | *static_cast<const std::uint64_t*>(bit)};
}
Change leave_queue(std::uint64_t value, const void* bit) {
    const std::uint64_t own = *static_cast<const std::uint64_t*>(bit);
    return (value & own) == 0 ? Change{} : Change{Change::Way::kWrite, value & ~own};
}
Change await_wake(std::uint64_t value, const void* bit) {
    return (value & *static_cast<const std::uint64_t*>(bit)) == 0 ? Change{}
                                                                  : Change{Change::Way::kBlock, 0};
}
// The n-th of those that wait.
Change wake_one(std::uint64_t value, const void* which) {
    if (value == 0) {
        return {};
    }
    std::uint64_t left = *static_cast<const std::uint64_t*>(which) % count_bits(value);
    std::uint64_t rest = value;
    while (left > 0) {
        rest &= rest - 1;
        --left;
    }
    return {Change::Way::kWrite, value & ~(rest & (~rest + 1))};
}
Change wake_all(std::uint64_t value, const void*) {
    return value == 0 ? Change{} : Change{Change::Way::kWrite, 0};
}

// The kernel keeps the queue of a futex under a lock: who wakes nobody comes before or behind each
// who waits all the same, and what it has stored before is seen.
Change pass_or_wake_one(std::uint64_t value, const void* which) {
    return value == 0 ? Change{Change::Way::kWrite, 0} : wake_one(value, which);
}
Change pass_or_wake_all(std::uint64_t, const void*) { return {Change::Way::kWrite, 0}; }

struct Queue {
    const void* object;
    bool shares_memory;
    Order order;  // condition variables order nothing, futexes do
    const void* site;
    std::uint64_t change(Search::Decide decide, const void* context, const char* text,
                         ObjectUse use, bool may_time_out = false) const {
        return change_word({object, decide, context, order, order, text, site, 0, may_time_out,
                            shares_memory, use});
    }
    // How many.
    std::uint64_t wake(bool all) const {
        if (all) {
            return count_bits(change(shares_memory ? pass_or_wake_all : wake_all, nullptr,
                                     "notify_all", ObjectUse::kUsed));
        }
        const std::uint64_t waiting =
            change(leave_as_is, nullptr, "look who waits", ObjectUse::kUsed);
        const std::uint64_t count = count_bits(waiting);
        const std::uint64_t which =
            count > 1 ? choose(count, "wakes, of those that wait, number", site) : 0;
        return change(shares_memory ? pass_or_wake_one : wake_one, &which, "notify_one",
                      ObjectUse::kUsed) == 0
                   ? 0
                   : 1;
    }
};

std::uint64_t own_bit() { return std::uint64_t{1} << hosted->current; }

// futex(2): a wait may return without a wake. The C++ library's own loops look again.
bool may_wake_spuriously(const void* site) {
    const auto at = reinterpret_cast<std::uint64_t>(site);
    constexpr std::uint64_t kProgramMax = std::uint64_t{1} << 33;
    return at - hosted->shadow.code < kProgramMax &&
           !std::binary_search(hosted->waiting.begin(), hosted->waiting.end(), at);
}

long wait_at_futex(const int* address, int expected, bool is_timed, const void* site) {
    const Queue queue{address, true, Order::kAcquireRelease, site};
    const std::uint64_t bit = own_bit();
    queue.change(enter_queue, &bit, "futex wait", ObjectUse::kNone);
    Request look;
    look.what = Request::What::kLoad;
    look.size = 4;
    look.address = reinterpret_cast<std::uint64_t>(address);
    look.text = "futex looks at the value";
    look.site = reinterpret_cast<std::uint64_t>(site);
    if (static_cast<int>(ask(look)) != expected) {
        queue.change(leave_queue, &bit, "futex: another value", ObjectUse::kNone);
        errno = EAGAIN;
        return -1;
    }
    if (is_timed && chooses_time_out(site)) {
        queue.change(leave_queue, &bit, "futex: time-out", ObjectUse::kNone);
        errno = ETIMEDOUT;
        return -1;
    }
    if (may_wake_spuriously(site) && chooses_spurious(site)) {
        queue.change(leave_queue, &bit, "spurious wake-up", ObjectUse::kNone);
        return 0;
    }
    queue.change(await_wake, &bit, "futex: woken", ObjectUse::kNone, is_timed);
    return 0;
}

long wake_at_futex(const void* address, int count, const void* site) {
    const Queue queue{address, true, Order::kAcquireRelease, site};
    if (count == INT_MAX) {
        return static_cast<long>(queue.wake(true));
    }
    std::uint64_t woken = 0;
    for (int asked = 0; asked < count; ++asked) {
        woken += queue.wake(false);
    }
    return static_cast<long>(woken);
}

}  // namespace

int wait_at_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, bool is_timed,
                      const void* site) {
    const Queue queue{condition, false, Order::kRelaxed, site};
    const std::uint64_t bit = own_bit();
    queue.change(enter_queue, &bit, "wait", ObjectUse::kEntered);
    unlock_mutex(mutex, site);
    int result = 0;
    if (is_timed && chooses_time_out(site)) {
        result =
            (queue.change(leave_queue, &bit, "time-out of the wait", ObjectUse::kLeft) & bit) != 0
                ? ETIMEDOUT
                : 0;
    } else if (chooses_spurious(site)) {
        queue.change(leave_queue, &bit, "spurious wake-up", ObjectUse::kLeft);
    } else {
        queue.change(await_wake, &bit, "woken", ObjectUse::kLeft, is_timed);
    }
    lock_mutex(mutex, false, site);
    return result;
}

void wake_condition(pthread_cond_t* condition, bool all, const void* site) {
    Queue{condition, false, Order::kRelaxed, site}.wake(all);
}

}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)

extern "C" {

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t*) noexcept {
    renew_object(condition, sizeof(*condition), LOCKKEEPER_HERE);
    *condition = PTHREAD_COND_INITIALIZER;
    return 0;
}
int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
    renew_object(condition, sizeof(*condition), LOCKKEEPER_HERE);
    return 0;
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    return running() == nullptr ? 0 : wait_at_condition(condition, mutex, false, LOCKKEEPER_HERE);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* time) {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr ? 0 : wait_at_condition(condition, mutex, true, LOCKKEEPER_HERE);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t,
                           const timespec* time) {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr ? 0 : wait_at_condition(condition, mutex, true, LOCKKEEPER_HERE);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    if (running() != nullptr) {
        wake_condition(condition, false, LOCKKEEPER_HERE);
    }
    return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    if (running() != nullptr) {
        wake_condition(condition, true, LOCKKEEPER_HERE);
    }
    return 0;
}

long syscall(long number, ...) noexcept {
    va_list rest;
    va_start(rest, number);
    const int* address = va_arg(rest, const int*);
    const long operation = va_arg(rest, long);
    const long value = va_arg(rest, long);
    const timespec* time = va_arg(rest, const timespec*);
    static_cast<void>(va_arg(rest, const void*));
    const auto bits = static_cast<std::uint32_t>(va_arg(rest, long));
    va_end(rest);
    const long command = operation & 0x7f;
    if (number == SYS_futex && (command == 9 || command == 10) && bits != UINT32_MAX) {
        refuse("a futex that is asked for with a bit mask is not hosted",
               reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));
    }
    if (number == SYS_futex && running() != nullptr && (command == 0 || command == 9)) {
        note_read_by(time, LOCKKEEPER_HERE);
        return wait_at_futex(address, static_cast<int>(value), time != nullptr, LOCKKEEPER_HERE);
    }
    if (number == SYS_futex && running() != nullptr && (command == 1 || command == 10)) {
        return wake_at_futex(address, static_cast<int>(value), LOCKKEEPER_HERE);
    }
    if (number == SYS_futex && running() == nullptr) {
        return 0;
    }
    refuse("the program calls the kernel (syscall)",
           reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0

// Marks in a test of threads: who holds which lock. Lockkeeper then judges its properties at the
// end of each execution (docs/decisions/methods/threads.md):
//   P1  over-allocation      more units are held at once than the lock has
//   P2  leak                 at rest, fewer units can be had than nobody holds
//   P3  under-allocation     a try is refused, although at no moment enough was taken
//   P4  double-release       at rest, more units can be had than nobody holds
//   P17 belief-overlap       a lock that expires is granted while another believes to hold it
//   P21 false-ok             a release says ok, although the lock was granted to others since
//   P29 unexplained-history  the calls are those of no correct lock
// "At once" means: in some order of the execution's events that has program order, reads-from and
// the order of each variable's writes.
//
// Used by tests that `lockkeeper threads` runs, or explore_threads(): by the wrappers
//     lockkeeper::watched_mutex<MyLock> lock;
//     lockkeeper::watched_semaphore<MySemaphore> semaphore(3);
// or around one's own calls:
//     lockkeeper::acquiring(&limiter, 3);
//     if (limiter.try_acquire()) { lockkeeper::acquired(&limiter); ...
//         lockkeeper::releasing(&limiter); limiter.release(); lockkeeper::released(&limiter);
//     } else { lockkeeper::refused(&limiter); }
// Each call of a thread is ended before it begins the next one of the same lock. Units are given
// back in the order in which they were taken. Outside of an execution the marks do nothing.
//
// P2 and P4 need a look at rest, when all threads are done with the lock. A wrapper looks when it
// is destroyed, if what it wraps has a try. A static one is not destroyed: call look(). By hand:
//     lockkeeper::look_at_rest(&limiter, 3, [&] { return limiter.try_acquire(); });
#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

enum lockkeeper_mark {
    lockkeeper_mark_acquiring,
    lockkeeper_mark_acquired,
    lockkeeper_mark_refused,
    lockkeeper_mark_releasing,
    lockkeeper_mark_released,
    lockkeeper_mark_acquiring_again,
    lockkeeper_mark_acquired_for_a_time,
    lockkeeper_mark_expired,
    lockkeeper_mark_lost,
    lockkeeper_mark_look,
    lockkeeper_mark_at_rest,
    lockkeeper_mark_gone
};
// The runtime has it.
extern "C" void lockkeeper_mark_threads(int what, const void* lock, unsigned capacity,
                                        unsigned units);

namespace lockkeeper {

// `capacity`: how many units the lock has, as this call sees it: a limiter may change that.
// `units`: how many are asked for.
inline void acquiring(const void* lock, unsigned capacity = 1, unsigned units = 1) {
    lockkeeper_mark_threads(lockkeeper_mark_acquiring, lock, capacity, units);
}
// The lock is one that its holder may have again.
inline void acquiring_again(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_acquiring_again, lock, 1, 1);
}
inline void acquired(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_acquired, lock, 0, 0);
}
// The lock expires. expired() says when its holder knows that.
inline void acquired_for_a_time(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_acquired_for_a_time, lock, 0, 0);
}
inline void expired(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_expired, lock, 0, 0);
}
inline void refused(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_refused, lock, 0, 0);
}
inline void releasing(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_releasing, lock, 0, 0);
}
inline void released(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_released, lock, 0, 0);
}
// In the place of released(): the release says that the lock was lost.
inline void lost(const void* lock) { lockkeeper_mark_threads(lockkeeper_mark_lost, lock, 0, 0); }

// Another lock may have the address from now on.
inline void gone(const void* lock) { lockkeeper_mark_threads(lockkeeper_mark_gone, lock, 0, 0); }

// At rest: takes units until one is refused, or there are more than the lock has. The lock keeps
// them. How many.
template <class TryAcquire>
unsigned look_at_rest(const void* lock, unsigned capacity, TryAcquire&& try_acquire) {
    lockkeeper_mark_threads(lockkeeper_mark_look, lock, capacity, 1);
    unsigned units = 0;
    while (units <= capacity && try_acquire()) {
        ++units;
    }
    lockkeeper_mark_threads(lockkeeper_mark_at_rest, lock, capacity, units);
    return units;
}

template <class Mutex, class = void>
struct has_try_lock : std::false_type {};
template <class Mutex>
struct has_try_lock<Mutex, std::void_t<decltype(std::declval<Mutex&>().try_lock())>>
    : std::true_type {};
template <class Semaphore, class = void>
struct has_try_acquire : std::false_type {};
template <class Semaphore>
struct has_try_acquire<Semaphore, std::void_t<decltype(std::declval<Semaphore&>().try_acquire())>>
    : std::true_type {};
// Specialize it for a mutex of your own that its holder may lock again.
template <class Mutex>
struct is_recursive : std::false_type {};
template <>
struct is_recursive<std::recursive_mutex> : std::true_type {};
template <>
struct is_recursive<std::recursive_timed_mutex> : std::true_type {};

// Has lock(), try_lock() and unlock(), as Mutex has.
template <class Mutex>
class watched_mutex {
  public:
    template <class... Arguments>
    explicit watched_mutex(Arguments&&... arguments)
        : mutex_(std::forward<Arguments>(arguments)...) {}
    watched_mutex(const watched_mutex&) = delete;
    watched_mutex& operator=(const watched_mutex&) = delete;
    ~watched_mutex() {
        look();
        gone(this);
    }
    void lock() {
        ask();
        mutex_.lock();
        acquired(this);
    }
    bool try_lock() {
        ask();
        const bool is_locked = mutex_.try_lock();
        is_locked ? acquired(this) : refused(this);
        return is_locked;
    }
    void unlock() {
        releasing(this);
        mutex_.unlock();
        released(this);
    }
    // When all threads are done with it: is it free? A mutex that may be locked again says nothing.
    void look() {
        if constexpr (has_try_lock<Mutex>::value && !is_recursive<Mutex>::value) {
            for (unsigned taken = look_at_rest(this, 1, [&] { return mutex_.try_lock(); });
                 taken > 0; --taken) {
                mutex_.unlock();
            }
        }
    }
    [[nodiscard]] Mutex& watched() { return mutex_; }

  private:
    void ask() {
        if constexpr (is_recursive<Mutex>::value) {
            acquiring_again(this);
        } else {
            acquiring(this);
        }
    }
    Mutex mutex_;
};

// Has acquire(), try_acquire() and release(), as Semaphore has, which is made from its permits.
template <class Semaphore>
class watched_semaphore {
  public:
    explicit watched_semaphore(unsigned permits) : permits_(permits), semaphore_(permits) {}
    watched_semaphore(const watched_semaphore&) = delete;
    watched_semaphore& operator=(const watched_semaphore&) = delete;
    ~watched_semaphore() {
        look();
        gone(this);
    }
    void acquire() {
        acquiring(this, permits_);
        semaphore_.acquire();
        acquired(this);
    }
    bool try_acquire() {
        acquiring(this, permits_);
        const bool is_acquired = semaphore_.try_acquire();
        is_acquired ? acquired(this) : refused(this);
        return is_acquired;
    }
    void release() {
        releasing(this);
        semaphore_.release();
        released(this);
    }
    // When all threads are done with it: how many permits are there?
    void look() {
        if constexpr (has_try_acquire<Semaphore>::value) {
            for (unsigned taken =
                     look_at_rest(this, permits_, [&] { return semaphore_.try_acquire(); });
                 taken > 0; --taken) {
                semaphore_.release();
            }
        }
    }
    [[nodiscard]] Semaphore& watched() { return semaphore_; }

  private:
    unsigned permits_;
    Semaphore semaphore_;
};

}  // namespace lockkeeper

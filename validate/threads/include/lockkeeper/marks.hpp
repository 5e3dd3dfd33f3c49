// SPDX-License-Identifier: Apache-2.0

// Marks in a test of threads: who holds which lock. Lockkeeper then judges its properties at the
// end of each execution (docs/decisions/methods/threads.md):
//   P1 over-allocation    more units are held at once than the lock has
//   P3 under-allocation   a try is refused, although at no moment enough was taken
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
#pragma once

#include <utility>

enum lockkeeper_mark {
    lockkeeper_mark_acquiring,
    lockkeeper_mark_acquired,
    lockkeeper_mark_refused,
    lockkeeper_mark_releasing,
    lockkeeper_mark_released
};
// The runtime has it.
extern "C" void lockkeeper_mark_threads(int what, const void* lock, unsigned capacity,
                                        unsigned units);

namespace lockkeeper {

// `capacity`: how many units the lock has; `units`: how many are asked for.
inline void acquiring(const void* lock, unsigned capacity = 1, unsigned units = 1) {
    lockkeeper_mark_threads(lockkeeper_mark_acquiring, lock, capacity, units);
}
inline void acquired(const void* lock) {
    lockkeeper_mark_threads(lockkeeper_mark_acquired, lock, 0, 0);
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

// Has lock(), try_lock() and unlock(), as Mutex has.
template <class Mutex>
class watched_mutex {
  public:
    template <class... Arguments>
    explicit watched_mutex(Arguments&&... arguments)
        : mutex_(std::forward<Arguments>(arguments)...) {}
    void lock() {
        acquiring(this);
        mutex_.lock();
        acquired(this);
    }
    bool try_lock() {
        acquiring(this);
        const bool is_locked = mutex_.try_lock();
        is_locked ? acquired(this) : refused(this);
        return is_locked;
    }
    void unlock() {
        releasing(this);
        mutex_.unlock();
        released(this);
    }
    [[nodiscard]] Mutex& watched() { return mutex_; }

  private:
    Mutex mutex_;
};

// Has acquire(), try_acquire() and release(), as Semaphore has, which is made from its permits.
template <class Semaphore>
class watched_semaphore {
  public:
    explicit watched_semaphore(unsigned permits) : permits_(permits), semaphore_(permits) {}
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
    [[nodiscard]] Semaphore& watched() { return semaphore_; }

  private:
    unsigned permits_;
    Semaphore semaphore_;
};

}  // namespace lockkeeper

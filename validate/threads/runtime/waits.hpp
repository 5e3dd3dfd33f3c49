// SPDX-License-Identifier: Apache-2.0

// Words that threads wait at: mutexes, condition variables, semaphores and the like are one word of
// 64 bits each, changed by read-modify-writes. The word is the runtime's: the object in the
// program's memory only says by its address which one it is.
#pragma once

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {

// A thread of the program asks, and not the unwinder for it: its locks are none of the program's.
[[nodiscard]] inline bool is_asked(const void* site) {
    const auto at = reinterpret_cast<std::uintptr_t>(site);
    return running() != nullptr && (at < hosted->unwinder.from || at >= hosted->unwinder.to);
}

struct WordChange {
    const void* object;
    Search::Decide decide;
    const void* context = nullptr;
    Order order = Order::kAcquireRelease;
    Order order_left = Order::kRelaxed;
    const char* text = "";
    const void* site = nullptr;
    std::uint64_t initial = 0;
    bool may_time_out = false;
    // The object's memory is an atomic variable besides, and not written when it is constructed.
    bool shares_memory = false;
    ObjectUse use = ObjectUse::kUsed;
    // False: the word is the same after the object's end, for whoever goes on with its wait.
    bool has_lives = true;
    bool is_lock = false;
    bool tries = false;
};
// The runtime has no hooks: what a call reads or writes by a pointer of the program.
template <class Value>
void note_read_by(const Value* at, const void* site) {
    note_plain(at, at == nullptr ? 0 : sizeof(Value), false, site);
}
template <class Value>
void note_written_by(const Value* at, const void* site) {
    note_plain(at, at == nullptr ? 0 : sizeof(Value), true, site);
}
// The value that was read.
std::uint64_t change_word(const WordChange& change);
// One of 0 to count - 1. `text`: what each is called, "no time-out|a time-out", or what the number
// behind it counts.
std::uint64_t choose(std::uint64_t count, const char* text, const void* site);
// A wait may end too early, or in time: each thread has so many of them.
bool chooses_spurious(const void* site);
// An allocation of a thread other than main may find no memory.
bool chooses_failure(const void* site);
bool chooses_weak_failure(const void* site);  // of a weak compare-exchange
bool chooses_time_out(const void* site, const char* text = "no time-out|the time-out comes");

// A mutex or the like begins or ends: a write of all its memory, which races with whoever uses it
// meanwhile. What has its memory from then on is another one.
void renew_object(const void* object, std::size_t size, const void* site);
// The end of a lock, which nobody may hold.
void end_lock(const void* lock, std::size_t size, const void* site);

// The calls of pthreads, asked for at this site. They give what pthreads give.
int lock_mutex(pthread_mutex_t* mutex, bool is_timed, const void* site);
int try_mutex(pthread_mutex_t* mutex, const void* site);
int unlock_mutex(pthread_mutex_t* mutex, const void* site);
int wait_at_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, bool is_timed,
                      const void* site);
void wake_condition(pthread_cond_t* condition, bool all, const void* site);
void do_once(pthread_once_t* once, void (*function)(), const void* site);
// `function` gives a pointer, or a number in its place.
int start_thread(pthread_t* handle, bool is_detached, void* (*function)(void*), void* argument,
                 const void* site);
int join_thread(pthread_t handle, void** returned, const void* site);

}  // namespace lockkeeper::threads

// SPDX-License-Identifier: Apache-2.0
// Spin locks of three threads and of four. Those of one loop have one execution for each order of
// the sections; of two loops there are more, if the compiler makes the first round another one. The
// argument says which lock.
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

std::atomic<int> taken{0};
int counter = 0;

void exchange() {
    while (taken.exchange(1, std::memory_order_acquire) == 1) {
    }
}

// The first round makes the variable, and is noted otherwise than the later ones.
void compare() {
    while (true) {
        int expected = 0;
        if (taken.compare_exchange_weak(expected, 1, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
            return;
        }
    }
}

// Two loops, one in the other: whether the inner one has waited is not to matter.
void exchange_then_look() {
    while (taken.exchange(1, std::memory_order_acquire) == 1) {
        while (taken.load(std::memory_order_relaxed) == 1) {
        }
    }
}

template <void (*Lock)()>
void count() {
    Lock();
    ++counter;
    taken.store(0, std::memory_order_release);
}

// Each waits for all, with a fence in the loop.
void wait_for_all() {
    taken.fetch_add(1, std::memory_order_release);
    while (taken.load(std::memory_order_relaxed) != 3) {
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    }
}

void run(int threads, void (*each)()) {
    std::thread started[4];
    for (int number = 0; number < threads; ++number) {
        started[number] = std::thread(each);
    }
    for (int number = 0; number < threads; ++number) {
        started[number].join();
    }
    assert(counter == 0 || counter == threads);
}

int main(int words, char** arguments) {
    const char* what = words < 2 ? "" : arguments[1];
    const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
    if (is("fence")) {
        run(3, wait_for_all);
    } else if (is("compare_of_four")) {
        run(4, count<compare>);
    } else {
        run(3, is("compare")              ? count<compare>
               : is("exchange_then_look") ? count<exchange_then_look>
                                          : count<exchange>);
    }
}

// SPDX-License-Identifier: Apache-2.0
// A gate that sleeps at a futex. Its wait may return without a wake, and a wake says how many it
// has woken.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <climits>
#include <cstring>
#include <thread>

std::atomic<int> gate{0};

long futex(int operation, int value) {
    return syscall(SYS_futex, &gate, operation, value, nullptr, nullptr, 0);
}

int main(int count, char** arguments) {
    const char* what = count < 2 ? "" : arguments[1];
    std::thread other([what] {
        if (std::strcmp(what, "looks_once") == 0) {
            futex(FUTEX_WAIT_PRIVATE, 0);
            assert(gate.load() == 1 && "the gate is open");
        }
        while (gate.load() == 0) {
            futex(FUTEX_WAIT_PRIVATE, 0);
        }
    });
    gate.store(1);
    const long woken = futex(FUTEX_WAKE_PRIVATE, INT_MAX);
    assert(woken == 0 || std::strcmp(what, "never_woken") != 0);
    other.join();
}

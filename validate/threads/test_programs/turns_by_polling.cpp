// SPDX-License-Identifier: Apache-2.0
// Two threads take turns, and each polls under a mutex until it has its own. Behind the last turn
// both work at once, and one is wrong if it comes between two steps of the other.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

std::mutex mutex;
int turn = 0;
int written = 0;

void waits_for(int which) {
    for (;;) {
        const std::lock_guard guard(mutex);
        if (turn >= which) {
            return;
        }
    }
}
void sets(int& variable, int to) {
    const std::lock_guard guard(mutex);
    variable = to;
}
int reads() {
    const std::lock_guard guard(mutex);
    return written;
}

int main(int count, char** arguments) {
    const int turns = count > 1 ? std::atoi(arguments[1]) : 2;
    std::thread one([&] {
        for (int each = 0; each < turns; ++each) {
            sets(turn, 2 * each + 1);
            waits_for(2 * each + 2);
        }
        assert(reads() != 1);
    });
    std::thread other([&] {
        for (int each = 0; each < turns; ++each) {
            waits_for(2 * each + 1);
            sets(turn, 2 * each + 2);
        }
        sets(written, 1);
        sets(written, 2);
    });
    one.join();
    other.join();
}

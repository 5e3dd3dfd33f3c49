// SPDX-License-Identifier: Apache-2.0
// Wrong: a lease is taken over when its time has come, by a clock that its holder does not look at.
#include <atomic>
#include <chrono>
#include <lockkeeper/marks.hpp>
#include <thread>

using Clock = std::chrono::steady_clock;

std::atomic<int> owner{0};
Clock::time_point deadline;

bool take(int who) {
    int nobody = 0;
    if (owner.compare_exchange_strong(nobody, who)) {
        return true;
    }
    if (Clock::now() < deadline) {
        return false;
    }
    owner.store(who);
    return true;
}

void use(int who) {
    lockkeeper::acquiring(&owner);
    if (!take(who)) {
        lockkeeper::refused(&owner);
        return;
    }
    lockkeeper::acquired_for_a_time(&owner);
    lockkeeper::releasing(&owner);
    int own = who;
    owner.compare_exchange_strong(own, 0) ? lockkeeper::released(&owner) : lockkeeper::lost(&owner);
}

int main() {
    deadline = Clock::now() + std::chrono::seconds(10);
    std::thread other(use, 1);
    use(2);
    other.join();
}

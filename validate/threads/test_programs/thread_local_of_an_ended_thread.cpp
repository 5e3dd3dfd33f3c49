// SPDX-License-Identifier: Apache-2.0
// Wrong: the thread may have ended, and its variable with it.
#include <atomic>
#include <thread>

thread_local int own = 0;
std::atomic<int*> published{nullptr};
int seen = 0;

int main() {
    std::thread other([] {
        own = 5;
        published.store(&own, std::memory_order_release);
    });
    const int* there = published.load(std::memory_order_acquire);
    if (there != nullptr) {
        seen = *there;
    }
    other.join();
}

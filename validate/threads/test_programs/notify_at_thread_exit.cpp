// SPDX-License-Identifier: Apache-2.0
// The mutex is given back when the thread's own variables have ended: main sees what they have
// done.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool is_done = false;
int count = 0;

struct Own {
    int value = 0;
    ~Own() { count += value; }
};
thread_local Own own;

int main() {
    std::thread other([] {
        std::unique_lock lock(mutex);
        own.value = 1;
        is_done = true;
        std::notify_all_at_thread_exit(changed, std::move(lock));
    });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [] { return is_done; });
        assert(count == 1);
    }
    other.join();
}

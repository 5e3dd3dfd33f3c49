// SPDX-License-Identifier: Apache-2.0
// What is done when main has ended: destructors of static and thread-local variables, and what
// atexit() was told. A detached thread may be on its way still.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::atomic<int> done{0};
std::mutex mutex;
std::condition_variable changed;
bool may_end = false;
std::map<int, std::string> table;

// Its destructor waits for the thread.
struct Worker {
    std::thread thread;
    ~Worker() {
        if (thread.joinable()) {
            thread.join();
            assert(done == 1);
        }
    }
};
Worker worker;

void work() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return may_end; });
    done = 1;
}

void fill_table() { table[1] = "a text that is too long for the string itself"; }

std::map<int, int>& own_table() {
    static std::map<int, int> own;
    return own;
}

}  // namespace

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "";
    std::atexit([] { assert(done == 1); });
    if (std::strcmp(name, "asserts_too_early") == 0) {
        std::thread([] { done = 1; }).detach();
    } else if (std::strcmp(name, "uses_a_static") == 0) {
        fill_table();
        done = 1;
        std::thread([] { table[1] = "another"; }).detach();
    } else if (std::strcmp(name, "uses_a_local_static") == 0) {
        own_table()[1] = 1;
        done = 1;
        std::thread([] { own_table()[1] = 2; }).detach();
    } else {
        fill_table();
        own_table()[1] = 1;
        worker.thread = std::thread(work);
        const std::lock_guard lock(mutex);
        may_end = true;
        changed.notify_one();
        // The handler runs before the destructor of what was there before it.
        done = 1;
    }
}

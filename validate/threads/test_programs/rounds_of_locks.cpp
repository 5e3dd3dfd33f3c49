// SPDX-License-Identifier: Apache-2.0
// Threads look under one mutex, again and again, and others try that mutex. A round in which a
// thread finds nothing is left out. What is so for ever is told all the same, and that a later
// round could have refused a try.
#include <cassert>
#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>

std::timed_mutex mutex;
int tokens = 0;
int refused = 0;

bool takes() {
    const std::lock_guard guard(mutex);
    if (tokens == 0) {
        return false;
    }
    --tokens;
    return true;
}
void waits() {
    while (!takes()) {
    }
}
void puts(int count) {
    const std::lock_guard guard(mutex);
    tokens = count;
}

// Three rounds of a thread that looks can refuse it three times.
template <class Try>
void tries(Try tries_once) {
    for (int each = 0; each < 3; ++each) {
        refused += tries_once() ? 0 : 1;
        mutex.lock();
        mutex.unlock();
    }
    puts(1);
}
bool tries_at_once() { return mutex.try_lock() && (mutex.unlock(), true); }
bool tries_in_time() {
    return mutex.try_lock_for(std::chrono::seconds(1)) && (mutex.unlock(), true);
}

int main(int count, char** arguments) {
    const std::string_view name = count > 1 ? arguments[1] : "";
    if (name.substr(0, 5) == "tries") {
        std::thread other([&] { name == "tries" ? tries(tries_at_once) : tries(tries_in_time); });
        bool is_put = false;
        do {
            mutex.lock();
            is_put = tokens > 0;
            mutex.unlock();
        } while (!is_put);
        other.join();
        assert(refused < 3);
        return 0;
    }
    std::thread one(waits);
    std::thread other(waits);
    std::thread third(name == "one_token" || name == "three_tokens" ? waits : [] {});
    if (name == "if_tried" && mutex.try_lock()) {
        tokens = 2;
        mutex.unlock();
    }
    if (name.ends_with("_token") || name.ends_with("_tokens")) {
        puts(name == "one_token" ? 1 : name == "two_tokens" ? 2 : 3);
    }
    one.join();
    other.join();
    third.join();
}

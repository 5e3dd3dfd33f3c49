// SPDX-License-Identifier: Apache-2.0
// Two threads have the same exception, whose first member is the lock of the rest: it has the
// address of the exception.
#include <cassert>
#include <exception>
#include <mutex>
#include <thread>

struct Failed {
    Failed() = default;
    Failed(const Failed& /*other*/) {}
    Failed& operator=(const Failed&) = delete;

    std::mutex lock;
    int seen = 0;
};

int see(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (Failed& failed) {
        const std::lock_guard<std::mutex> held(failed.lock);
        return ++failed.seen;
    }
}

int main() {
    std::exception_ptr exception;
    try {
        throw Failed();
    } catch (...) {
        exception = std::current_exception();
    }
    std::thread other([exception] { see(exception); });
    assert(see(exception) <= 2);
    other.join();
}

// SPDX-License-Identifier: Apache-2.0
// What C++20 offers, once each: right, so it passes.
#include <atomic>
#include <barrier>
#include <cassert>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>

std::once_flag once;
std::shared_mutex shared;
std::recursive_mutex recursive;
int made = 0;
thread_local int own = 5;

int& local_static() {
    static int value = [] { return ++made; }();
    return value;
}

void work(const std::shared_ptr<std::string>& text) {
    std::call_once(once, [] { ++made; });
    const std::shared_lock<std::shared_mutex> reading(shared);
    assert(local_static() >= 1);
    assert(++own == 6);
    const std::scoped_lock<std::recursive_mutex> outer(recursive);
    const std::scoped_lock<std::recursive_mutex> inner(recursive);
    try {
        throw std::runtime_error(*text);
    } catch (const std::runtime_error& error) {
        assert(*text == error.what());
    }
}

int main() {
    const auto text = std::make_shared<std::string>("a text that is longer than what fits inside");
    std::promise<int> promise;
    std::jthread other([&] {
        work(text);
        promise.set_value(3);
    });
    assert(promise.get_future().get() == 3);
    other.join();
    work(text);
    assert(made == 2);
}

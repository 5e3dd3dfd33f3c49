// SPDX-License-Identifier: Apache-2.0
// An exception goes to another thread by a promise. The last reference ends in either, within the
// C++ library.
#include <cassert>
#include <exception>
#include <future>
#include <string>
#include <thread>

struct Failed {
    int code = 0;
    std::string why = "a text that is too long to stand within the string itself";
};

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([promise = std::move(promise)]() mutable {
        try {
            throw Failed{7};
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    try {
        future.get();
    } catch (const Failed& failed) {
        assert(failed.code == 7 && failed.why.size() > 9);
    }
    other.join();
}

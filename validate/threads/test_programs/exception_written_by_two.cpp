// SPDX-License-Identifier: Apache-2.0
// Wrong: both threads write into one exception. That they give it back in turn orders no writes.
#include <exception>
#include <thread>

struct Failed {
    int tries = 0;
};

void try_again(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (Failed& failed) {
        ++failed.tries;
    }
}

int main() {
    const std::exception_ptr failure = std::make_exception_ptr(Failed{});
    std::thread first([failure] { try_again(failure); });
    std::thread second([failure] { try_again(failure); });
    first.join();
    second.join();
}

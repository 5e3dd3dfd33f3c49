// SPDX-License-Identifier: Apache-2.0
// What the libraries keep is as it was when each run begins. A thread has a stack as pthreads give
// it.
#include <atomic>
#include <cassert>
#include <cerrno>
#include <exception>
#include <iostream>
#include <new>
#include <thread>

std::atomic<int> value{0};

void end() { std::abort(); }

int main(int, char** arguments) {
    assert(errno == 0);
    assert(std::get_terminate() != end);
    assert(arguments[0][0] != '\0');
    assert(std::set_new_handler(end) == nullptr);
    std::set_terminate(end);
    std::ios::sync_with_stdio(false);
    arguments[0][0] = '\0';
    errno = 1;
    std::thread writes([] {
        assert(errno == 0);
        errno = 2;
        volatile char large[3'000'000];
        large[0] = 1;
        value = large[0];
        std::cout << value << "\n";
    });
    static_cast<void>(value.load());
    static_cast<void>(value.load());
    writes.join();
    std::cout << "end\n";
}

// SPDX-License-Identifier: Apache-2.0
// ThreadPool of libthread-pool-dev, two threads. The first task waits for the second, for which a
// thread is idle.
#include <future>
#include <thread_pool/thread_pool.hpp>

int main() {
    std::promise<void> is_done;
    thread_pool::ThreadPool pool(2);
    auto first = pool.Submit([&] { is_done.get_future().wait(); });
    auto second = pool.Submit([&] { is_done.set_value(); });
    first.wait();
    second.wait();
}

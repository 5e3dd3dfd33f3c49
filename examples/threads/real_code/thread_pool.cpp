// SPDX-License-Identifier: Apache-2.0
// ThreadPool of libthread-pool-dev: each task is done once.
#include <cassert>
#include <thread_pool/thread_pool.hpp>

int main() {
    thread_pool::ThreadPool pool(1);
    auto first = pool.Submit([] { return 1; });
    auto second = pool.Submit([] { return 2; });
    assert(first.get() + second.get() == 3);
}

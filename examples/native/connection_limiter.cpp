// SPDX-License-Identifier: Apache-2.0

// A limiter of database connections: at most max_per connections for each node that this worker
// sees. Workers may see different numbers of nodes while a node is added; a worker that dies
// without closing its session is reported by whoever notices. See
// docs/howto/use_the_native_lock.md.
//
//   g++ -std=c++20 -O2 -I <repository or prefix/include/lockkeeper> connection_limiter.cpp -ltbb
#include <cstdio>
#include <thread>
#include <vector>

#include "impl/native/native_lock.hpp"

namespace native = lockkeeper::native;

namespace {

native::RepairedCanalLock limiter;

// One session of a worker, which sees so many nodes. Returns how often it was granted.
int serve(unsigned nodes) {
    auto holder = limiter.join();
    int granted = 0;
    for (int request = 0; request < 1000; ++request) {
        if (auto connection = limiter.acquire(holder, "db", {.max_per = 10, .buckets = nodes})) {
            ++granted;  // use the connection; it comes back at the end of this block
        }
    }
    return granted;
}

}  // namespace

int main() {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < 4; ++i) {
        workers.emplace_back([i] { serve(i < 2 ? 3 : 4); });  // half of them know the new node
    }
    for (std::thread& worker : workers) {
        worker.join();
    }

    auto session = limiter.join();
    const auto lost = limiter.acquire(session, "db", {.max_per = 10, .buckets = 4});
    const auto came_back = limiter.on_crash(session.id());  // any thread may say so
    std::printf("in use before the crash: %llu, came back: %llu, in use now: %llu\n",
                static_cast<unsigned long long>(lost.count()),
                static_cast<unsigned long long>(came_back),
                static_cast<unsigned long long>(limiter.key("db").row.in_use()));
    return limiter.key("db").row.in_use() == 0 && came_back == 1 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// soci::connection_pool with one connection, which no two threads have at once.
#include <soci/connection-pool.h>

#include <lockkeeper/marks.hpp>
#include <thread>
#include <vector>

int main() {
    soci::connection_pool pool(1);
    const auto use = [&] {
        lockkeeper::acquiring(&pool);
        const std::size_t place = pool.lease();
        lockkeeper::acquired(&pool);
        lockkeeper::releasing(&pool);
        pool.give_back(place);
        lockkeeper::released(&pool);
    };
    std::vector<std::thread> threads;
    for (int index = 1; index < THREADS; ++index) {
        threads.emplace_back(use);
    }
    use();
    for (std::thread& thread : threads) {
        thread.join();
    }
}

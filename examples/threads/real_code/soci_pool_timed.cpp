// SPDX-License-Identifier: Apache-2.0
// soci::connection_pool with one connection, for which a thread waits at most a second. Whoever is
// told that the time has passed finds a free connection behind, when the other has given it back.
#include <soci/connection-pool.h>

#include <cassert>
#include <thread>

int main() {
    soci::connection_pool pool(1);
    const auto use = [&] {
        std::size_t place = 0;
        if (pool.try_lease(place, 1000)) {
            pool.give_back(place);
        }
    };
    std::thread other(use);
    use();
    other.join();
    std::size_t place = 0;
    assert(pool.try_lease(place, 1000));
}

// SPDX-License-Identifier: Apache-2.0
// boost::lockfree::spsc_queue: what one thread pushes, the other pops in that order.
#include <cassert>
#include <thread>

#include <boost/lockfree/spsc_queue.hpp>

boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> items;

int main() {
    std::thread other([] {
        for (int item = 1; item <= 3; ++item) {
            static_cast<void>(items.push(item));
        }
    });
    int before = 0;
    int item = 0;
    for (int count = 0; count < 3; ++count) {
        if (items.pop(item)) {
            assert(item > before);
            before = item;
        }
    }
    other.join();
}

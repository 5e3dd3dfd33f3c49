// SPDX-License-Identifier: Apache-2.0
// boost::lockfree: QUEUE for several threads. Two push, one pops: nothing is lost or comes twice.
#include <cassert>
#include <thread>

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/stack.hpp>

boost::lockfree::QUEUE<int, boost::lockfree::capacity<4>> items;

int main() {
    std::thread other([] { assert(items.push(1)); });
    assert(items.push(2));
    int sum = 0;
    int item = 0;
    for (int count = 0; count < 2; ++count) {
        if (items.pop(item)) {
            sum += item;
        }
    }
    other.join();
    while (items.pop(item)) {
        sum += item;
    }
    assert(sum == 3);
}

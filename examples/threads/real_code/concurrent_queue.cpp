// SPDX-License-Identifier: Apache-2.0
// moodycamel::ConcurrentQueue: two threads add, main takes: nothing is lost or comes twice.
#include <concurrentqueue/concurrentqueue.h>

#include <cassert>
#include <thread>

int main() {
    moodycamel::ConcurrentQueue<int> items;
    std::thread other([&] { items.enqueue(1); });
    items.enqueue(2);
    int sum = 0;
    int item = 0;
    if (items.try_dequeue(item)) {
        sum += item;
    }
    other.join();
    while (items.try_dequeue(item)) {
        sum += item;
    }
    assert(sum == 3);
}

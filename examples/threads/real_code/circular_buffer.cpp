// SPDX-License-Identifier: Apache-2.0
// moodycamel::BlockingReaderWriterCircularBuffer of one place: the one who adds waits for a place.
#include <readerwriterqueue/readerwritercircularbuffer.h>

#include <cassert>
#include <thread>

int main() {
    moodycamel::BlockingReaderWriterCircularBuffer<int> items(1);
    std::thread other([&] {
        items.wait_enqueue(1);
        items.wait_enqueue(2);
    });
    int item = 0;
    items.wait_dequeue(item);
    assert(item == 1);
    items.wait_dequeue(item);
    assert(item == 2);
    other.join();
}

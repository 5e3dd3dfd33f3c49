// SPDX-License-Identifier: Apache-2.0
// moodycamel::BlockingReaderWriterQueue: what one thread adds, the other waits for.
#include <readerwriterqueue/readerwriterqueue.h>

#include <cassert>
#include <thread>

int main() {
    moodycamel::BlockingReaderWriterQueue<int> items(1);
    std::thread other([&] {
        items.enqueue(1);
        items.enqueue(2);
    });
    int item = 0;
    items.wait_dequeue(item);
    assert(item == 1);
    items.wait_dequeue(item);
    assert(item == 2);
    other.join();
}

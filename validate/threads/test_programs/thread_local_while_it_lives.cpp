// SPDX-License-Identifier: Apache-2.0
// Right: main looks at another thread's variables, and lets it end then.
#include <cassert>
#include <future>
#include <thread>

thread_local int own = 0;

int main() {
    std::promise<const int*> published;
    std::promise<void> was_read;
    std::thread other([&] {
        own = 5;
        published.set_value(&own);
        was_read.get_future().wait();
    });
    assert(*published.get_future().get() == 5);
    was_read.set_value();
    other.join();
}

// SPDX-License-Identifier: Apache-2.0

// Wrong: a counter that two threads read and write without a lock.
#include <thread>

int counter = 0;

int main() {
    std::thread first([] { ++counter; });
    std::thread second([] { ++counter; });
    first.join();
    second.join();
}

// SPDX-License-Identifier: Apache-2.0
// Wrong: one thread only arrives, and reads what the other has written without a wait.
#include <barrier>
#include <thread>

int written = 0;
int seen = 0;
std::barrier<> barrier(2);

int main() {
    std::thread other([] {
        written = 1;
        barrier.arrive_and_wait();
    });
    static_cast<void>(barrier.arrive());
    seen = written;
    other.join();
}

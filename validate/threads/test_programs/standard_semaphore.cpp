// SPDX-License-Identifier: Apache-2.0
// Right, but for libstdc++ 12: two threads take one permit and give it back.
#include <cassert>
#include <semaphore>
#include <thread>

std::counting_semaphore<1> permits(1);
int held = 0;

void use() {
    permits.acquire();
    assert(++held == 1);
    --held;
    permits.release();
}

int main() {
    std::thread other(use);
    use();
    other.join();
}

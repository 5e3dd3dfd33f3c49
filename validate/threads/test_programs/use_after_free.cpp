// SPDX-License-Identifier: Apache-2.0
// One thread may give back what the other still reads.
#include <atomic>
#include <thread>

std::atomic<int*> shared{nullptr};

int main() {
    shared.store(new int(3));
    std::thread reader([] {
        const int* value = shared.load();
        if (value != nullptr && *value != 3) {
            std::abort();
        }
    });
    int* mine = shared.exchange(nullptr);
    delete mine;
    reader.join();
}

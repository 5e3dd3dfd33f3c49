// SPDX-License-Identifier: Apache-2.0
// A lock of Mellor-Crummey and Scott: each thread waits at a node on its own stack, into which the
// other one stores.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
};

std::atomic<Node*> last{nullptr};
int count = 0;

void add_one() {
    Node own;
    Node* before = last.exchange(&own, std::memory_order_acq_rel);
    if (before != nullptr) {
        own.waits.store(true, std::memory_order_relaxed);
        before->next.store(&own, std::memory_order_release);
        while (own.waits.load(std::memory_order_acquire)) {
        }
    }
    ++count;
    Node* next = own.next.load(std::memory_order_acquire);
    if (next == nullptr) {
        Node* expected = &own;
        if (last.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
            return;
        }
        while ((next = own.next.load(std::memory_order_acquire)) == nullptr) {
        }
    }
    next->waits.store(false, std::memory_order_release);
}

int main() {
    std::thread first(add_one);
    std::thread second(add_one);
    first.join();
    second.join();
    assert(count == 2);
}

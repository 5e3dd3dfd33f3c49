// SPDX-License-Identifier: Apache-2.0
// Wrong: the node that loses the race to be the first is forgotten. A static that has memory until
// the end of the process is none.
#include <atomic>
#include <string>
#include <thread>

struct Node {
    long values[3] = {};
};
std::atomic<Node*> first{nullptr};

const std::string& name() {
    static const std::string made = "a name that is too long to stand in the string";
    return made;
}

void put() {
    Node* none = nullptr;
    Node* mine = new Node;
    if (!first.compare_exchange_strong(none, mine)) {
        mine = nullptr;
    }
}

int main() {
    std::thread other(put);
    put();
    other.join();
    delete first.load();
    return name().empty() ? 1 : 0;
}

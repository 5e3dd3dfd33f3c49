// SPDX-License-Identifier: Apache-2.0
// Loops that take locks and give them back until they have what they want: std::scoped_lock takes
// two mutexes so, and a thread may look under a mutex whether something is done.
#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

std::mutex first;
std::mutex second;
int changes = 0;
bool is_done = false;

void use_first() {
    const std::scoped_lock both(first, second);
    ++changes;
}
void use_second() {
    const std::scoped_lock both(second, first);
    ++changes;
}
// Holds one while it asks for the other.
void use_in_turn() {
    const std::lock_guard one(second);
    const std::lock_guard other(first);
    ++changes;
}
bool asks() {
    const std::lock_guard one(first);
    return is_done;
}

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "";
    if (std::strncmp(name, "asks", 4) == 0) {
        std::thread changes_it([&] {
            const std::lock_guard one(first);
            is_done = std::strcmp(name, "asks") == 0;
        });
        while (!asks()) {
            std::this_thread::yield();
        }
        changes_it.join();
        return 0;
    }
    std::thread one(use_first);
    std::thread other(std::strcmp(name, "in_turn") == 0 ? use_in_turn : use_second);
    std::thread third(std::strcmp(name, "three") == 0 ? use_second : [] {});
    if (std::strcmp(name, "without") == 0) {
        ++changes;
    }
    one.join();
    other.join();
    third.join();
    assert(changes == (std::strcmp(name, "three") == 0 ? 3 : 2));
}

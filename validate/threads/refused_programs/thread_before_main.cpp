// SPDX-License-Identifier: Apache-2.0
// A static variable starts a thread.
#include <thread>

int value = 0;
std::thread early([] { value = 1; });

int main() {
    value = 2;
    early.join();
}

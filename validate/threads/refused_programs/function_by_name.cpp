// SPDX-License-Identifier: Apache-2.0
// Gets a function by its name, so that nobody sees which one it calls.
#include <dlfcn.h>

#include <thread>

int main() {
    std::thread other([] {
        auto* function = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "rand"));
        if (function() == 7) {
            __builtin_trap();
        }
    });
    other.join();
}

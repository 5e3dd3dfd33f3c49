// SPDX-License-Identifier: Apache-2.0
// Loads a library while it runs.
#include <dlfcn.h>

#include <thread>

int main() {
    std::thread other([] { (void)dlopen("libm.so.6", RTLD_NOW); });
    other.join();
}

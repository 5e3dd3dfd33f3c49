// SPDX-License-Identifier: Apache-2.0
// An allocator keeps its pool in the C++ library.
#include <ext/pool_allocator.h>

#include <thread>
#include <vector>

int main() {
    std::thread fills([] {
        std::vector<int, __gnu_cxx::__pool_alloc<int>> values;
        values.push_back(1);
    });
    fills.join();
}

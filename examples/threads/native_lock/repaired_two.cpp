// SPDX-License-Identifier: Apache-2.0
// Two threads and one unit.
#include "examples/threads/native_lock/whole_lock.hpp"

using namespace lockkeeper::native;

int main() {
    RepairedCanalLock lock;
    use_whole_lock(lock, 2, View{1, 1}, Joins::kBefore);
}

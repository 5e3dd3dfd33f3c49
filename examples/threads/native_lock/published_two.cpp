// SPDX-License-Identifier: Apache-2.0
// The published algorithm: two threads that see two buckets of one place each.
#include "examples/threads/native_lock/whole_lock.hpp"

using namespace lockkeeper::native;

int main() {
    PublishedCanalLock lock({.max_decr_tries = 1, .manager_max_per = 1, .warm_buckets = 2});
    use_whole_lock(lock, 2, View{1, 2}, Joins::kBefore);
}

// SPDX-License-Identifier: Apache-2.0
// Wrong: the native canal lock as it was published, two callers that see two buckets of one place.
// A unit of capacity is lost.
#include <cassert>
#include <thread>

#include "impl/native/bucket_row.hpp"
#include "impl/native/native_core.hpp"

using namespace lockkeeper::native;

BucketRow<StdAtomics, 2> row({.max_decr_tries = 1, .manager_max_per = 1, .warm_buckets = 2});
Tally<StdAtomics> tallies[2];

void call(int index) {
    const Acquired acquired = acquire_unit(row, tallies[index], View{1, 2});
    if (acquired.status != AcquireStatus::kAcquired) {
        return;
    }
    const ReleaseStatus released = release_unit(row, tallies[index], 1);
    assert(released == ReleaseStatus::kReleased);
}

int main() {
    std::thread first(call, 0);
    std::thread second(call, 1);
    first.join();
    second.join();
    assert(row.in_use() == 0);
}

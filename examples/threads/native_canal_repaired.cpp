// SPDX-License-Identifier: Apache-2.0
// The native canal lock as programs have it, without its tables of keys and holders: repaired, two
// callers and one place. Holders write a plain variable.
#include <cassert>
#include <lockkeeper/marks.hpp>
#include <thread>

#include "impl/native/native_core.hpp"
#include "impl/native/total_row.hpp"

using namespace lockkeeper::native;

TotalRow<StdAtomics> row;
Tally<StdAtomics> tallies[2];
int resource = 0;

void call(int index) {
    lockkeeper::acquiring(&row);
    const Acquired acquired = acquire_unit(row, tallies[index], View{1, 1});
    if (acquired.status != AcquireStatus::kAcquired) {
        lockkeeper::refused(&row);
        return;
    }
    lockkeeper::acquired(&row);
    resource = index;
    lockkeeper::releasing(&row);
    const ReleaseStatus released = release_unit(row, tallies[index], 1);
    lockkeeper::released(&row);
    assert(released == ReleaseStatus::kReleased);
}

int main() {
    std::thread first(call, 0);
    std::thread second(call, 1);
    first.join();
    second.join();
    assert(row.in_use() == 0);
}

// SPDX-License-Identifier: Apache-2.0

// For the parts of the servers that look at all records at once.
#pragma once

#include <cstddef>

namespace lockkeeper::transactional {

template <class AnyRecords, class Function>
void for_each(const AnyRecords& records, Function function) {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        function(caller, records[caller]);
    }
}

}  // namespace lockkeeper::transactional

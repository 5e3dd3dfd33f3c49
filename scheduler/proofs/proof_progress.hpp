// SPDX-License-Identifier: Apache-2.0

// How far a proof is, and how large it became. Plain values, for progress and reports.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockkeeper::proofs {

struct ProofProgress {
    const char* doing = "";      // in words
    std::size_t done = 0;        // so many of `what`
    std::size_t all = 0;         // of so many; 0: not known
    std::size_t shared = 0;      // values of what is shared, situations of a caller
    std::size_t situations = 0;  //   that were met; 0: not counted
    double seconds = 0;
    const char* what = "combinations";  // what is done
};

// The sizes of the search, for reports.
struct ProofSizes {
    std::size_t situations = 0;  // of a caller
    std::size_t shared = 0;      // values of what is shared
    std::size_t markings = 0;
    std::size_t weights = 0;
    std::uint64_t steps_tried = 0;
};

}  // namespace lockkeeper::proofs

// SPDX-License-Identifier: Apache-2.0

// What a stored record looks like (state_codec.hpp decides), for those who keep, move and compare
// records without knowing what they stand for.
#pragma once

#define XXH_INLINE_ALL
#include <cstddef>
#include <cstdint>

#include <xxhash.h>

namespace lockkeeper {

struct RecordShape {
    std::size_t words = 1;
    bool is_packed = false;  // one word that is its own fingerprint (packing.hpp)

    [[nodiscard]] std::uint64_t fingerprint(const std::uint64_t* record) const {
        return is_packed ? *record : XXH3_64bits(record, words * sizeof(std::uint64_t));
    }
    friend bool operator==(const RecordShape&, const RecordShape&) = default;
};

}  // namespace lockkeeper

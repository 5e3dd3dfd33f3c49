// SPDX-License-Identifier: Apache-2.0

// The block of records that one reader of states on disk has read last: states that are asked for
// in their order are read once.
#pragma once

#include <cstdint>
#include <memory>

#include "scheduler/disk/block_file.hpp"

namespace lockkeeper {

struct RecordCache {
    std::size_t shard = 0;
    std::uint64_t first = 0;  // index of the first record
    std::uint64_t count = 0;
    std::unique_ptr<DiskBlock> block = nullptr;
};

}  // namespace lockkeeper

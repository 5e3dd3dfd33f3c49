// SPDX-License-Identifier: Apache-2.0

// Records and parents of the states on disk, in the order of their numbers, in one file that grows.
// The search reads states back from here to expand them and to find the way to a state.
#pragma once

#include <array>
#include <vector>

#include "scheduler/base/checkpoint.hpp"
#include "scheduler/disk/block_file.hpp"
#include "scheduler/disk/record_cache.hpp"
#include "scheduler/states/segmented_array.hpp"
#include "scheduler/states/state_id.hpp"

namespace lockkeeper {

// States of a shard that are in memory.
struct StatesToWrite {
    const SegmentedArray<std::uint64_t>* records = nullptr;
    const SegmentedArray<StateId>* parents = nullptr;
    std::size_t from = 0;  // position in both
    std::size_t count = 0;
};
using ShardsToWrite = std::array<StatesToWrite, kStateShards>;

class StateLog {
  public:
    StateLog(const std::string& path, std::uint64_t seed, BlockFile::Opening opening,
             std::size_t words);

    [[nodiscard]] std::uint64_t size_of(std::size_t shard) const;
    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    [[nodiscard]] std::size_t bytes() const;  // in memory

    // Begins to add states; then write() of each shard, by any threads; then keep() or drop().
    void begin(const ShardsToWrite& shards);
    void write(std::size_t shard, const StatesToWrite& states);
    void keep() { is_begun_ = false; }
    void drop();
    void sync() { file_.sync(); }

    // Returns a place in the cache: it is valid until the cache is used again.
    [[nodiscard]] const std::uint64_t* record(std::size_t shard, std::uint64_t index,
                                              RecordCache& cache) const;
    [[nodiscard]] StateId parent(std::size_t shard, std::uint64_t index) const;

    void save(CheckpointWriter& file) const;
    // Throws CheckpointError.
    void load(CheckpointReader& file);
    // Cuts off what the file has behind the blocks that were loaded.
    void end_loading() { file_.truncate(blocks_); }

  private:
    struct Region {  // of one shard, written at once
        std::uint64_t first = 0;
        std::uint64_t count = 0;
        std::uint64_t records_block = 0;
        std::uint64_t parents_block = 0;
    };
    [[nodiscard]] const Region& region_of(std::size_t shard, std::uint64_t index) const;

    std::size_t words_;
    std::size_t bytes_of_record_;
    BlockFile file_;
    std::uint64_t blocks_ = 0;
    std::uint64_t blocks_before_ = 0;  // begin()
    bool is_begun_ = false;
    std::array<std::vector<Region>, kStateShards> regions_;
};

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// States in ascending order of their records, each shard by itself, in a file of blocks. The first
// key of each block is kept in memory. A run is written once and never changed.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/disk/block_file.hpp"
#include "scheduler/states/state_id.hpp"

namespace lockkeeper {

// A state in memory, of which it is asked whether some run has it.
struct DiskQuestion {
    std::uint64_t first = 0;  // word of its key
    const std::uint64_t* record = nullptr;
    std::uint32_t position = 0;  // for whoever asks
    bool is_known = false;
    bool is_older = false;  // some level before the one that is being found has it
};

// The order of keys. The key of a record is the record, without the note of a packed one.
[[nodiscard]] int compare_keys(const std::uint64_t* left, const std::uint64_t* right,
                               std::size_t words);
[[nodiscard]] bool comes_before(const DiskQuestion& left, const DiskQuestion& right,
                                std::size_t words);

class SortedRun {
  public:
    using Counts = std::array<std::uint64_t, kStateShards>;
    // The next key, or nullptr.
    using Keys = std::function<const std::uint64_t*()>;

    // A new file, or one that is there.
    SortedRun(const std::string& path, std::uint64_t seed, BlockFile::Opening opening,
              std::size_t words, const Counts& counts);

    [[nodiscard]] BlockFile& file() { return file_; }
    [[nodiscard]] const BlockFile& file() const { return file_; }
    [[nodiscard]] const Counts& counts() const { return counts_; }
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] std::uint64_t blocks() const;
    [[nodiscard]] std::size_t bytes() const;  // in memory

    // Writes as many keys as were announced. Different threads may write different shards.
    void write(std::size_t shard, const Keys& keys);
    // Reads an existing file once, for what is kept in memory. Shows each key. Throws
    // CheckpointError when they do not ascend.
    void read(std::size_t shard, const std::function<void(const std::uint64_t*)>& show);
    [[nodiscard]] BlockReader reader(std::size_t shard) const;

    // Answers the questions, which must ascend, unless they are answered already.
    void find(std::size_t shard, std::span<DiskQuestion> questions) const;

    bool is_coming = false;    // all its states are of the level that is being found
    unsigned rank = 0;         // how often its states were merged
    std::uint64_t number = 0;  // of its file

  private:
    struct Extent {  // blocks of a shard that are read together, and whose questions
        std::uint64_t first_block = 0;
        std::uint64_t blocks = 0;
        std::size_t questions_end = 0;
    };
    [[nodiscard]] Extent next_extent(std::size_t shard, std::span<const DiskQuestion> questions,
                                     std::size_t from, std::uint64_t first_block) const;
    // The block, from `from` on, that has the key if any has.
    [[nodiscard]] std::uint64_t block_of(std::size_t shard, const DiskQuestion& question,
                                         std::uint64_t from) const;
    void answer(DiskQuestion& question, const DiskBlock& block, std::uint64_t items) const;
    [[nodiscard]] std::uint64_t blocks_of(std::size_t shard) const {
        return blocks_for(counts_[shard], bytes_of_key_);
    }
    [[nodiscard]] const std::uint64_t* first_of(std::size_t shard, std::uint64_t block) const {
        return first_keys_[shard].data() + block * words_;
    }

    std::size_t words_;
    std::size_t bytes_of_key_;
    Counts counts_;
    std::array<std::uint64_t, kStateShards> first_block_{};
    std::array<std::vector<std::uint64_t>, kStateShards> first_keys_;  // of each block
    BlockFile file_;
};

}  // namespace lockkeeper

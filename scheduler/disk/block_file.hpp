// SPDX-License-Identifier: Apache-2.0

// A file of blocks of 4,096 bytes, in which a search keeps states. Each block ends in a checksum
// that also depends on the search and on the place of the block: what is damaged, or belongs
// somewhere else, is noticed when it is read. Several threads may use different blocks at the same
// time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/base/checkpoint.hpp"

namespace lockkeeper {

// A file cannot grow: the disk is full, or the file has reached a limit. what() names the file.
class DiskLimit : public CheckpointError {
  public:
    using CheckpointError::CheckpointError;
};

struct DiskBlock {
    static constexpr std::size_t kBytes = 4096;
    static constexpr std::size_t kContent = kBytes - sizeof(std::uint64_t);

    std::array<std::byte, kContent> content;
    std::uint64_t checksum;
};
static_assert(sizeof(DiskBlock) == DiskBlock::kBytes);

// Items never lie across two blocks.
[[nodiscard]] constexpr std::size_t items_of_block(std::size_t bytes_of_item) {
    return DiskBlock::kContent / bytes_of_item;
}
[[nodiscard]] constexpr std::uint64_t blocks_for(std::uint64_t items, std::size_t bytes_of_item) {
    const std::size_t of_block = items_of_block(bytes_of_item);
    return (items + of_block - 1) / of_block;
}

class BlockFile {
  public:
    enum class Opening : std::uint8_t { kNew, kThere };

    // `seed` goes into the checksums. Throws DiskLimit (kNew) or CheckpointError (kThere).
    BlockFile(std::string path, std::uint64_t seed, Opening opening);
    BlockFile(const BlockFile&) = delete;
    BlockFile& operator=(const BlockFile&) = delete;
    ~BlockFile();

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t blocks() const;  // whole ones

    // Throws CheckpointError: the blocks are not there, or are damaged.
    void read(std::uint64_t first, std::span<DiskBlock> blocks) const;
    // Fills in the checksums. Throws DiskLimit. Different threads may write different blocks.
    void write(std::uint64_t first, std::span<DiskBlock> blocks);
    // The rest is given back.
    void truncate(std::uint64_t blocks);
    // Throws DiskLimit.
    void sync();

  private:
    [[nodiscard]] std::uint64_t checksum(std::uint64_t at, const DiskBlock& block) const;
    [[noreturn]] void fail_to_write() const;

    std::string path_;
    std::uint64_t seed_;
    int descriptor_;
    std::atomic<std::uint64_t> unsynced_ = 0;  // bytes
};

// Asks the file system to keep so many bytes free in a file at `path`, of which it may hold less if
// it has no such call. False: there is no room.
[[nodiscard]] bool reserve_room(const std::string& path, std::uint64_t bytes);

// Items one after the other, from a block on.
class BlockWriter {
  public:
    BlockWriter(BlockFile& file, std::uint64_t first_block, std::size_t bytes_of_item);
    void append(const void* item);
    void close();

  private:
    void write();

    BlockFile& file_;
    std::uint64_t next_block_;
    std::size_t bytes_of_item_;
    std::size_t items_of_block_;
    std::vector<DiskBlock> buffer_;
    std::size_t blocks_ = 0;  // that are full
    std::size_t items_ = 0;   // in the block behind them
};

// The same for reading: nullptr behind the last.
class BlockReader {
  public:
    BlockReader(const BlockFile& file, std::uint64_t first_block, std::uint64_t items,
                std::size_t bytes_of_item);
    [[nodiscard]] const std::byte* next();

  private:
    const BlockFile& file_;
    std::uint64_t next_block_;
    std::uint64_t items_left_;  // behind the block that is being read
    std::size_t bytes_of_item_;
    std::size_t items_of_block_;
    std::vector<DiskBlock> buffer_;
    std::size_t block_ = 0;
    std::size_t item_ = 0;
    std::size_t items_here_ = 0;
};

}  // namespace lockkeeper

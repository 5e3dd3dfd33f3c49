// SPDX-License-Identifier: Apache-2.0
#include "scheduler/disk/block_file.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <xxhash.h>

namespace lockkeeper {
namespace {

constexpr std::size_t kBlocksTogether = 64;

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
    throw CheckpointError(path + ": states on disk cannot be read: " + why);
}

}  // namespace

BlockFile::BlockFile(std::string path, std::uint64_t seed, Opening opening)
    : path_(std::move(path)), seed_(seed) {
    constexpr int kAnyway = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    constexpr mode_t kForOwner = 0600;
    const bool is_new = opening == Opening::kNew;
    descriptor_ = ::open(path_.c_str(), is_new ? kAnyway | O_CREAT | O_TRUNC : kAnyway, kForOwner);
    if (descriptor_ < 0) {
        if (is_new) {
            fail_to_write();
        }
        fail_to_read(path_, std::strerror(errno));
    }
}

BlockFile::~BlockFile() { ::close(descriptor_); }

std::uint64_t BlockFile::blocks() const {
    struct stat status = {};
    const bool is_known = ::fstat(descriptor_, &status) == 0;
    return is_known ? static_cast<std::uint64_t>(status.st_size) / DiskBlock::kBytes : 0;
}

std::uint64_t BlockFile::checksum(std::uint64_t at, const DiskBlock& block) const {
    return XXH3_64bits_withSeed(block.content.data(), block.content.size(), seed_ + at);
}

void BlockFile::read(std::uint64_t first, std::span<DiskBlock> blocks) const {
    auto* to = reinterpret_cast<char*>(blocks.data());
    std::size_t left = blocks.size_bytes();
    auto from = static_cast<off_t>(first * DiskBlock::kBytes);
    while (left > 0) {
        const ssize_t count = ::pread(descriptor_, to, left, from);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail_to_read(path_, count < 0 ? std::strerror(errno) : "the file is truncated");
        }
        to += count;
        from += count;
        left -= static_cast<std::size_t>(count);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].checksum != checksum(first + i, blocks[i])) {
            fail_to_read(path_, "block " + std::to_string(first + i) + " is damaged");
        }
    }
}

void BlockFile::write(std::uint64_t first, std::span<DiskBlock> blocks) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i].checksum = checksum(first + i, blocks[i]);
    }
    const auto* from = reinterpret_cast<const char*>(blocks.data());
    std::size_t left = blocks.size_bytes();
    auto to = static_cast<off_t>(first * DiskBlock::kBytes);
    while (left > 0) {
        const ssize_t count = ::pwrite(descriptor_, from, left, to);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail_to_write();
        }
        from += count;
        to += count;
        left -= static_cast<std::size_t>(count);
    }
    if (unsynced_ += blocks.size_bytes(); unsynced_ >= kBytesOfSync) {
        sync();
    }
}

void BlockFile::truncate(std::uint64_t blocks) {
    // Blocks that stay behind the end are never read.
    [[maybe_unused]] const int failed =
        ::ftruncate(descriptor_, static_cast<off_t>(blocks * DiskBlock::kBytes));
}

void BlockFile::sync() {
    unsynced_ = 0;
    if (::fdatasync(descriptor_) != 0) {
        fail_to_write();
    }
}

void BlockFile::fail_to_write() const {
    throw DiskLimit(path_ + " cannot be written: " + std::strerror(errno));
}

bool reserve_room(const std::string& path, std::uint64_t bytes) {
    constexpr mode_t kForOwner = 0600;
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForOwner);
    if (file < 0) {
        return errno != ENOSPC && errno != EDQUOT;
    }
    const bool has_failed = ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) != 0;
    const bool has_room = !has_failed || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG);
    ::close(file);
    if (has_failed) {
        ::unlink(path.c_str());
    }
    return has_room;
}

BlockWriter::BlockWriter(BlockFile& file, std::uint64_t first_block, std::size_t bytes_of_item)
    : file_(file),
      next_block_(first_block),
      bytes_of_item_(bytes_of_item),
      items_of_block_(items_of_block(bytes_of_item)),
      buffer_(1) {}

void BlockWriter::append(const void* item) {
    std::memcpy(buffer_[blocks_].content.data() + items_ * bytes_of_item_, item, bytes_of_item_);
    if (++items_ < items_of_block_) {
        return;
    }
    items_ = 0;
    if (++blocks_ == kBlocksTogether) {
        write();
    } else if (blocks_ == buffer_.size()) {
        // Most writers have a few blocks: the pages of a full buffer cost more than writing them.
        buffer_.resize(std::min(2 * blocks_, kBlocksTogether));
    }
}

void BlockWriter::close() {
    if (items_ > 0) {
        const auto used = static_cast<std::ptrdiff_t>(items_ * bytes_of_item_);
        std::array<std::byte, DiskBlock::kContent>& content = buffer_[blocks_].content;
        std::fill(content.begin() + used, content.end(), std::byte{0});
        ++blocks_;
        items_ = 0;
    }
    write();
}

void BlockWriter::write() {
    file_.write(next_block_, std::span(buffer_).first(blocks_));
    next_block_ += blocks_;
    blocks_ = 0;
}

BlockReader::BlockReader(const BlockFile& file, std::uint64_t first_block, std::uint64_t items,
                         std::size_t bytes_of_item)
    : file_(file),
      next_block_(first_block),
      items_left_(items),
      bytes_of_item_(bytes_of_item),
      items_of_block_(items_of_block(bytes_of_item)) {}

const std::byte* BlockReader::next() {
    if (item_ == items_here_) {
        if (items_left_ == 0) {
            return nullptr;
        }
        if (++block_ >= buffer_.size()) {
            buffer_.resize(
                std::min<std::uint64_t>(kBlocksTogether, blocks_for(items_left_, bytes_of_item_)));
            file_.read(next_block_, buffer_);
            next_block_ += buffer_.size();
            block_ = 0;
        }
        item_ = 0;
        items_here_ = std::min<std::uint64_t>(items_of_block_, items_left_);
        items_left_ -= items_here_;
    }
    return buffer_[block_].content.data() + item_++ * bytes_of_item_;
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/disk/sorted_run.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

// To read so many blocks that nobody asks for takes as long as to read elsewhere.
constexpr std::uint64_t kGapMost = 16;
constexpr std::uint64_t kExtentMost = 64;

// The key behind `first` of the question's record.
int compare(const std::uint64_t* key, const DiskQuestion& question, std::size_t words) {
    if (key[0] != question.first) {
        return key[0] < question.first ? -1 : 1;
    }
    return compare_keys(key + 1, question.record + 1, words - 1);
}

}  // namespace

int compare_keys(const std::uint64_t* left, const std::uint64_t* right, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

bool comes_before(const DiskQuestion& left, const DiskQuestion& right, std::size_t words) {
    return left.first != right.first
               ? left.first < right.first
               : compare_keys(left.record + 1, right.record + 1, words - 1) < 0;
}

SortedRun::SortedRun(const std::string& path, std::uint64_t seed, BlockFile::Opening opening,
                     std::size_t words, const Counts& counts)
    : words_(words),
      bytes_of_key_(words * sizeof(std::uint64_t)),
      counts_(counts),
      file_(path, seed, opening) {
    std::uint64_t next = 0;
    for (std::size_t shard = 0; shard < kStateShards; ++shard) {
        first_block_[shard] = next;
        next += blocks_of(shard);
    }
}

std::uint64_t SortedRun::size() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t SortedRun::blocks() const {
    return first_block_.back() + blocks_of(kStateShards - 1);
}

std::size_t SortedRun::bytes() const {
    std::size_t sum = 0;
    for (const auto& keys : first_keys_) {
        sum += keys.capacity() * sizeof(std::uint64_t);
    }
    return sum;
}

void SortedRun::write(std::size_t shard, const Keys& keys) {
    first_keys_[shard].reserve(blocks_of(shard) * words_);
    BlockWriter writer(file_, first_block_[shard], bytes_of_key_);
    std::uint64_t count = 0;
    for (; const std::uint64_t* key = keys(); ++count) {
        if (count % items_of_block(bytes_of_key_) == 0) {
            first_keys_[shard].insert(first_keys_[shard].end(), key, key + words_);
        }
        writer.append(key);
    }
    LOCKKEEPER_CHECK(count == counts_[shard]);
    writer.close();
}

void SortedRun::read(std::size_t shard, const std::function<void(const std::uint64_t*)>& show) {
    first_keys_[shard].reserve(blocks_of(shard) * words_);
    BlockReader keys = reader(shard);
    std::vector<std::uint64_t> key(words_);
    std::vector<std::uint64_t> before(words_);
    std::uint64_t count = 0;
    for (; const std::byte* item = keys.next(); ++count) {
        std::memcpy(key.data(), item, bytes_of_key_);
        if (count > 0 && compare_keys(before.data(), key.data(), words_) >= 0) {
            throw CheckpointError(file_.path() + ": states on disk are damaged");
        }
        if (count % items_of_block(bytes_of_key_) == 0) {
            first_keys_[shard].insert(first_keys_[shard].end(), key.begin(), key.end());
        }
        show(key.data());
        before.swap(key);
    }
}

BlockReader SortedRun::reader(std::size_t shard) const {
    return {file_, first_block_[shard], counts_[shard], bytes_of_key_};
}

void SortedRun::find(std::size_t shard, std::span<DiskQuestion> questions) const {
    if (counts_[shard] == 0) {
        return;
    }
    std::vector<DiskBlock> buffer(std::min(kExtentMost, blocks_of(shard)));
    std::uint64_t block = 0;
    for (std::size_t at = 0; at < questions.size();) {
        const Extent extent = next_extent(shard, questions, at, block);
        file_.read(first_block_[shard] + extent.first_block,
                   std::span(buffer).first(extent.blocks));
        block = extent.first_block;
        for (; at < extent.questions_end; ++at) {
            if (questions[at].is_known) {
                continue;
            }
            block = block_of(shard, questions[at], block);
            const std::uint64_t before = block * items_of_block(bytes_of_key_);
            answer(questions[at], buffer[block - extent.first_block],
                   std::min<std::uint64_t>(items_of_block(bytes_of_key_), counts_[shard] - before));
        }
    }
}

SortedRun::Extent SortedRun::next_extent(std::size_t shard, std::span<const DiskQuestion> questions,
                                         std::size_t from, std::uint64_t first_block) const {
    std::uint64_t block = block_of(shard, questions[from], first_block);
    Extent extent{block, 1, from + 1};
    for (; extent.questions_end < questions.size(); ++extent.questions_end) {
        block = block_of(shard, questions[extent.questions_end], block);
        if (block - extent.first_block >= kExtentMost ||
            block - extent.first_block > extent.blocks + kGapMost) {
            break;
        }
        extent.blocks = block - extent.first_block + 1;
    }
    return extent;
}

std::uint64_t SortedRun::block_of(std::size_t shard, const DiskQuestion& question,
                                  std::uint64_t from) const {
    const auto is_behind = [&](std::uint64_t block) {
        return compare(first_of(shard, block), question, words_) > 0;
    };
    // Twice as far until it is passed, then by halves: the next is mostly near.
    const std::uint64_t end = blocks_of(shard);
    std::uint64_t low = from;
    std::uint64_t step = 1;
    while (low + step < end && !is_behind(low + step)) {
        low += step;
        step *= 2;
    }
    std::uint64_t high = std::min(low + step, end);
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (is_behind(middle) ? high : low) = middle;
    }
    return low;
}

void SortedRun::answer(DiskQuestion& question, const DiskBlock& block, std::uint64_t items) const {
    constexpr std::size_t kWordsOfBlock = DiskBlock::kContent / sizeof(std::uint64_t);
    const auto* keys = reinterpret_cast<const std::uint64_t*>(block.content.data());
    LOCKKEEPER_CHECK(items * words_ <= kWordsOfBlock);
    std::uint64_t low = 0;
    std::uint64_t high = items;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        const int order = compare(keys + middle * words_, question, words_);
        if (order == 0) {
            question.is_known = true;
            question.is_older = !is_coming;
            return;
        }
        (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
    }
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "scheduler/disk/state_log.hpp"

#include <algorithm>
#include <cstring>

#include "model/check.hpp"

namespace lockkeeper {

StateLog::StateLog(const std::string& path, std::uint64_t seed, BlockFile::Opening opening,
                   std::size_t words)
    : words_(words), bytes_of_record_(words * sizeof(std::uint64_t)), file_(path, seed, opening) {}

std::uint64_t StateLog::size_of(std::size_t shard) const {
    const std::vector<Region>& regions = regions_[shard];
    return regions.empty() ? 0 : regions.back().first + regions.back().count;
}

std::size_t StateLog::bytes() const {
    std::size_t sum = 0;
    for (const auto& regions : regions_) {
        sum += regions.capacity() * sizeof(Region);
    }
    return sum;
}

void StateLog::begin(const ShardsToWrite& shards) {
    blocks_before_ = blocks_;
    is_begun_ = true;
    for (std::size_t shard = 0; shard < kStateShards; ++shard) {
        const std::uint64_t count = shards[shard].count;
        const std::uint64_t records = blocks_for(count, bytes_of_record_);
        if (count > 0) {
            regions_[shard].push_back({size_of(shard), count, blocks_, blocks_ + records});
        }
        blocks_ += records + blocks_for(count, sizeof(StateId));
    }
}

void StateLog::write(std::size_t shard, const StatesToWrite& states) {
    if (states.count == 0) {
        return;
    }
    const Region& region = regions_[shard].back();
    LOCKKEEPER_CHECK(region.count == states.count && region.records_block >= blocks_before_);
    BlockWriter records(file_, region.records_block, bytes_of_record_);
    BlockWriter parents(file_, region.parents_block, sizeof(StateId));
    for (std::size_t at = states.from; at < states.from + states.count; ++at) {
        records.append(states.records->at(at));
        parents.append(states.parents->at(at));
    }
    records.close();
    parents.close();
}

void StateLog::drop() {
    if (!is_begun_) {
        return;
    }
    is_begun_ = false;
    for (std::vector<Region>& regions : regions_) {
        if (!regions.empty() && regions.back().records_block >= blocks_before_) {
            regions.pop_back();
        }
    }
    blocks_ = blocks_before_;
    file_.truncate(blocks_);
}

const StateLog::Region& StateLog::region_of(std::size_t shard, std::uint64_t index) const {
    const std::vector<Region>& regions = regions_[shard];
    const auto behind = std::upper_bound(
        regions.begin(), regions.end(), index,
        [](std::uint64_t wanted, const Region& region) { return wanted < region.first; });
    LOCKKEEPER_CHECK(behind != regions.begin());
    const Region& region = *(behind - 1);
    LOCKKEEPER_CHECK(index - region.first < region.count);
    return region;
}

const std::uint64_t* StateLog::record(std::size_t shard, std::uint64_t index,
                                      RecordCache& cache) const {
    if (cache.block == nullptr || cache.shard != shard || index < cache.first ||
        index - cache.first >= cache.count) {
        const Region& region = region_of(shard, index);
        const std::size_t of_block = items_of_block(bytes_of_record_);
        const std::uint64_t block = (index - region.first) / of_block;
        if (cache.block == nullptr) {
            cache.block = std::make_unique<DiskBlock>();
        }
        cache.count = 0;  // should reading fail
        file_.read(region.records_block + block, {cache.block.get(), 1});
        cache.shard = shard;
        cache.first = region.first + block * of_block;
        cache.count = std::min<std::uint64_t>(of_block, region.first + region.count - cache.first);
    }
    const auto* records = reinterpret_cast<const std::uint64_t*>(cache.block->content.data());
    return records + (index - cache.first) * words_;
}

StateId StateLog::parent(std::size_t shard, std::uint64_t index) const {
    const Region& region = region_of(shard, index);
    const std::size_t of_block = items_of_block(sizeof(StateId));
    const std::uint64_t at = index - region.first;
    DiskBlock block;
    file_.read(region.parents_block + at / of_block, {&block, 1});
    StateId parent = kNoState;
    std::memcpy(&parent, block.content.data() + at % of_block * sizeof(StateId), sizeof(parent));
    return parent;
}

void StateLog::save(CheckpointWriter& file) const {
    file.value(blocks_);
    for (const auto& regions : regions_) {
        file.array(regions);
    }
}

void StateLog::load(CheckpointReader& file) {
    constexpr std::size_t kRegionsMost = std::size_t{1} << 24U;
    file.value(blocks_);
    for (auto& regions : regions_) {
        file.array(regions, kRegionsMost);
        std::uint64_t next = 0;
        for (const Region& region : regions) {
            const std::uint64_t end =
                region.parents_block + blocks_for(region.count, sizeof(StateId));
            if (region.first != next || region.count == 0 || end > blocks_ ||
                region.records_block >= region.parents_block) {
                file.fail("is damaged");
            }
            next += region.count;
        }
    }
    if (file_.blocks() < blocks_) {
        throw CheckpointError(file_.path() +
                              ": states on disk cannot be read: the file is truncated");
    }
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The successors of a few states as one worker makes them, put apart at once by the shard of the
// store that they go to; in order there. Searches that go on state by state keep them together.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "scheduler/search/arrivals.hpp"

namespace lockkeeper {

class Successors {
  public:
    void clear(bool by_shard) {
        shard_mask_ = by_shard ? StateStore::kShards - 1 : 0;
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            next_[shard] = memory_[shard].data();
            records_[shard].clear();
        }
    }

    // A packed record is its own fingerprint.
    void put_packed(std::uint64_t record, StateId parent) {
        put_arrival(shard_of(record), {record, parent});
    }
    void put(const std::uint64_t* record, const RecordShape& shape, StateId parent) {
        const std::uint64_t hash = shape.fingerprint(record);
        const std::size_t shard = shard_of(hash);
        if (!shape.is_packed) {
            records_[shard].insert(records_[shard].end(), record, record + shape.words);
        }
        put_arrival(shard, {hash, parent});
    }

    // Successors of one shard, as another process has sent them: their records, and for each the
    // number of its parent, counted from `first`.
    struct Sent {
        const std::byte* records = nullptr;
        const std::byte* parents = nullptr;
        std::size_t count = 0;
    };
    void receive(std::size_t shard, const RecordShape& shape, StateId first, const Sent& sent) {
        while (memory_[shard].size() < sent.count) {
            grow(shard);
        }
        std::vector<std::uint64_t>& records = records_[shard];
        if (!shape.is_packed) {
            records.resize(sent.count * shape.words);
            if (!records.empty()) {
                std::memcpy(records.data(), sent.records, records.size() * sizeof(records[0]));
            }
        }
        Arrival* next = memory_[shard].data();
        for (std::size_t i = 0; i < sent.count; ++i, ++next) {
            if (shape.is_packed) {
                std::memcpy(&next->hash, sent.records + i * sizeof(next->hash), sizeof(next->hash));
            } else {
                next->hash = shape.fingerprint(records.data() + i * shape.words);
            }
            next->parent = first + static_cast<StateId>(sent.parents[i]);
        }
        next_[shard] = next;
    }

    [[nodiscard]] ArrivalBatch at(std::size_t shard) const {
        return {{memory_[shard].data(), next_[shard]}, records_[shard].data()};
    }
    // When they were kept together.
    [[nodiscard]] ArrivalBatch all() const { return at(0); }

    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            sum += at(shard).arrivals.size();
        }
        return sum;
    }
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = 0;
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            sum += memory_[shard].capacity() * sizeof(Arrival) +
                   records_[shard].capacity() * sizeof(std::uint64_t);
        }
        return sum;
    }

  private:
    [[nodiscard]] std::size_t shard_of(std::uint64_t hash) const {
        return StateStore::shard_of(hash) & shard_mask_;
    }
    void put_arrival(std::size_t shard, const Arrival& arrival) {
        if (next_[shard] == end_[shard]) {
            grow(shard);
        }
        *next_[shard]++ = arrival;
    }
    void grow(std::size_t shard) {
        constexpr std::size_t kSmallest = 16;
        std::vector<Arrival>& memory = memory_[shard];
        const std::size_t size = memory.size();
        memory.resize(size == 0 ? kSmallest : size * 2);
        next_[shard] = memory.data() + size;
        end_[shard] = memory.data() + memory.size();
    }

    template <class T>
    using OfEachShard = std::array<T, StateStore::kShards>;

    std::size_t shard_mask_ = 0;
    // Into memory_: behind the last arrival, and to the end of the room.
    OfEachShard<Arrival*> next_{};
    OfEachShard<Arrival*> end_{};
    OfEachShard<std::vector<Arrival>> memory_;
    OfEachShard<std::vector<std::uint64_t>> records_;  // unless they are packed
};

}  // namespace lockkeeper

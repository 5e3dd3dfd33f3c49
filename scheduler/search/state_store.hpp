// SPDX-License-Identifier: Apache-2.0

// Keeps the states that the explorer has seen, as records (state_codec.hpp), each under a number.
//
// Exact: the records are kept, and compared whenever fingerprints agree, unless records are packed:
// then a slot of the table tells all. A state costs its record, four bytes for its parent and 10.7
// to 16 for its slot of the table, packed up to 21.3. Fingerprints only: 64 bits a state and the
// records that are yet to be expanded; two states with one fingerprint are taken for one (packed
// ones never have one), and the explorer prints how likely that was.
//
// The store is cut into shards by the fingerprint, always into the same number of them: workers
// fill different shards at the same time, and the number that a state gets depends only on the
// order in which the states of its shard arrive, not on who brings them.
//
// With a DiskPlan the first states of each shard may be on disk only (disk_states.hpp). The table
// knows the others. What it does not know gets the next number, but is settled only when the disk
// does not know it either: states that are known there leave, and the numbers close up. So states
// have the same numbers as in memory, once they are settled; nobody may ask for others.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/check.hpp"
#include "scheduler/base/checkpoint.hpp"
#include "scheduler/disk/record_cache.hpp"
#include "scheduler/search/explore.hpp"
#include "scheduler/states/prefetch.hpp"
#include "scheduler/states/record_shape.hpp"
#include "scheduler/states/segmented_array.hpp"
#include "scheduler/states/state_id.hpp"
#include "scheduler/states/tail_order.hpp"
#include "scheduler/states/visited_table.hpp"
#include "scheduler/states/words.hpp"

namespace lockkeeper {

class DiskStates;
struct DiskPlan;
using ForShards = std::function<void(const std::function<void(std::size_t shard)>& task)>;

// A successor on its way into the store.
struct Arrival {
    std::uint64_t hash = 0;  // of its record; if that is packed, the record itself
    StateId parent = kNoState;
};

// Arrivals of one shard side by side, and their records unless these are packed.
struct ArrivalBatch {
    std::span<const Arrival> arrivals;
    const std::uint64_t* records = nullptr;

    [[nodiscard]] const std::uint64_t* record(std::size_t i, const RecordShape& shape) const {
        return shape.is_packed ? &arrivals[i].hash : records + i * shape.words;
    }
};

struct Visit {
    StateId id = kNoState;
    bool is_new = false;
};

class StateStore {
  public:
    static constexpr unsigned kShardBits = kStateShardBits;
    static constexpr std::size_t kShards = kStateShards;
    static constexpr unsigned kIndexBits = 32 - kShardBits;
    // One less than fits: the last number of the last shard is kNoState.
    static constexpr std::size_t kStatesOfShardMax = (std::size_t{1} << kIndexBits) - 1;

    // `tails`: visits of covered states find what covers them; the shape says where tails begin.
    // nullptr: every state is found by itself. `plan`: where states go when there are too many, or
    // nullptr. Both outlive the store.
    StateStore(const RecordShape& shape, Storage storage, const TailOrder* tails = nullptr,
               const DiskPlan* plan = nullptr);
    StateStore(StateStore&&) noexcept;
    StateStore& operator=(StateStore&&) noexcept;
    ~StateStore();

    [[nodiscard]] static std::size_t shard_of(std::uint64_t hash) {
        return hash >> (64U - kShardBits);
    }
    [[nodiscard]] static std::size_t shard_of(StateId id) { return id >> kIndexBits; }
    [[nodiscard]] static std::size_t index_of(StateId id) { return id & kStatesOfShardMax; }
    [[nodiscard]] static StateId id_of(std::size_t shard, std::size_t index) {
        return static_cast<StateId>(shard << kIndexBits | index);
    }

    [[nodiscard]] bool is_exact() const { return is_exact_; }
    [[nodiscard]] const RecordShape& shape() const { return shape_; }
    // A slot of the table tells whether a state is known, without a look at its record.
    [[nodiscard]] bool knows_by_slot() const { return is_exact_ && shape_.is_packed; }
    [[nodiscard]] std::size_t size_of(std::size_t shard) const { return shards_[shard].size(); }
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (const Shard& shard : shards_) {
            sum += shard.size();
        }
        return sum;
    }
    [[nodiscard]] std::size_t bytes() const;

    [[nodiscard]] StateId parent(StateId id) const {
        const Shard& shard = shards_[shard_of(id)];
        const std::size_t index = index_of(id);
        return index < shard.base ? parent_on_disk(id) : *shard.parents.at(index - shard.base);
    }
    // Fingerprints only: of states that are yet to be expanded. It stays until the cache is used
    // again.
    [[nodiscard]] const std::uint64_t* record(StateId id, RecordCache& cache) const {
        const Shard& shard = shards_[shard_of(id)];
        const std::size_t index = index_of(id);
        if (is_exact_) {
            return index < shard.base ? record_on_disk(id, cache)
                                      : shard.keys.at(index - shard.base);
        }
        return index < shard.first_coming ? shard.waiting.at(index - shard.first_waiting)
                                          : shard.coming.at(index - shard.first_coming);
    }
    // The record of a state in memory.
    [[nodiscard]] const std::uint64_t* record(StateId id) const {
        RecordCache unused;
        return record(id, unused);
    }
    // The words that tell a state from others: its record, or its fingerprint.
    [[nodiscard]] std::vector<std::uint64_t> key(StateId id) const {
        const Shard& shard = shards_[shard_of(id)];
        RecordCache cache;
        const std::uint64_t* key = index_of(id) < shard.base
                                       ? record_on_disk(id, cache)
                                       : shard.keys.at(index_of(id) - shard.base);
        return {key, key + shard.keys.width()};
    }
    [[nodiscard]] bool is_same(const std::uint64_t* key, const std::uint64_t* record,
                               std::uint64_t hash) const {
        if (knows_by_slot()) {
            return without_note(*record) == without_note(*key);
        }
        return is_exact_ ? same_words(record, key, shape_.words) : *key == hash;
    }

    void prefetch_slot(std::uint64_t hash) const { shards_[shard_of(hash)].table.prefetch(hash); }
    using Place = VisitedTable::Place;
    // Looks as far as it need not wait, and prefetches the record to be compared.
    [[nodiscard]] Place look_ahead(std::uint64_t hash) const {
        const Shard& shard = shards_[shard_of(hash)];
        Place place;
        const std::uint32_t index = shard.table.look_ahead(hash, place);
        if (index != VisitedTable::kNone) {
            const std::uint64_t* key = shard.keys.at(index);
            prefetch(key);
            if (shard.keys.width() > 2) {  // those of one or two words never lie across two lines
                prefetch(key + shard.keys.width() - 1);
            }
        }
        return place;
    }

    // Among those in memory.
    [[nodiscard]] StateId find(const std::uint64_t* record, std::uint64_t hash) const {
        return find(record, hash, shards_[shard_of(hash)].table.start(hash));
    }
    // `place`: of look_ahead(hash), or where the table begins to look.
    [[nodiscard]] StateId find(const std::uint64_t* record, std::uint64_t hash, Place place) const {
        const std::size_t number = shard_of(hash);
        const Shard& shard = shards_[number];
        const std::uint32_t index = find(shard, record, hash, place);
        return index == VisitedTable::kNone ? kNoState : id_of(number, shard.base + index);
    }

    // Different threads may call this at the same time for different shards.
    Visit visit(const std::uint64_t* record, std::uint64_t hash, StateId parent) {
        return visit(record, hash, parent, shards_[shard_of(hash)].table.start(hash));
    }
    Visit visit(const std::uint64_t* record, std::uint64_t hash, StateId parent, Place place) {
        const std::size_t number = shard_of(hash);
        Shard& shard = shards_[number];
        const std::uint32_t known = find(shard, record, hash, place);
        if (known != VisitedTable::kNone) {
            // One that covers it with more left is no way back: no cycle has a fault in it.
            shard.leads_back |= shard.base + known < shard.first_coming &&
                                (tails_ == nullptr || is_same(shard.keys.at(known), record, hash));
            return {id_of(number, shard.base + known), false};
        }
        const std::size_t index = shard.size();
        if (index == kStatesOfShardMax) {
            throw LimitExceeded(kTooManyStates);
        }
        if (is_exact_) {
            copy_words(shard.keys.append(), record, shape_.words);
        } else {
            *shard.keys.append() = hash;
            copy_words(shard.coming.append(), record, shape_.words);
        }
        *shard.parents.append() = parent;
        shard.table.insert(hash, place, static_cast<std::uint32_t>(index - shard.base));
        if (shard.table.is_crowded()) {
            grow_table(shard);
        }
        return {id_of(number, index), true};
    }

    // Visits of one shard, where slots tell what is known.
    void visit_packed(std::size_t number, std::span<const ArrivalBatch> batches);

    // The states that were waiting have been expanded, those found since wait now; all are settled.
    void begin_level();

    // Some visit, since the level before it began, was of a state that was known before that. While
    // levels are those of a breadth first search and this is false, there is no cycle, whatever the
    // reduction (docs/decisions/0036-reductions-unasked.md).
    [[nodiscard]] bool leads_back() const {
        return std::any_of(shards_.begin(), shards_.end(),
                           [](const Shard& shard) { return shard.leads_back; });
    }

    // Everything but the table, which loading makes again. To be loaded into an empty store.
    // With states on disk: nothing but where they are. Then end_saving() or end_loading().
    // `ranks`, or nullptr: the first of them saves, the others send it their shards meanwhile; each
    // loads its own, and learns from sizes_loaded() how many states each shard has.
    void save(CheckpointWriter& file, Ranks* ranks = nullptr) const;
    void send_shards(Ranks& ranks) const;
    void load(CheckpointReader& file, const ForShards& for_shards, const Ranks* ranks = nullptr);
    using ShardSizes = std::array<std::size_t, kShards>;
    [[nodiscard]] const ShardSizes& sizes_loaded() const { return sizes_loaded_; }
    void end_saving();
    void end_loading();

    // --- with a disk (state_store_disk.cpp) ----------------------------------------------------

    [[nodiscard]] bool goes_to_disk() const { return plan_ != nullptr; }
    // Some states are on disk only.
    [[nodiscard]] bool is_partly_on_disk() const;
    [[nodiscard]] std::size_t states_in_memory() const;
    [[nodiscard]] std::size_t unsaved_bytes() const;
    // There is no room for so many more states.
    [[nodiscard]] bool is_full(std::size_t more = 0) const;
    // Numbers are final. Throws CheckpointError: the disk cannot be read.
    void settle(const ForShards& for_shards, const LookAtClock& look = nullptr);
    // Before the first write: memory and files for it. Throws DiskLimit, or what `look` throws.
    void begin_disk(const LookAtClock& look);
    // Settles and writes what is only in memory. Throws DiskLimit where the disk is full, or what
    // `look` throws; then nothing is written.
    void write_out(const ForShards& for_shards, const LookAtClock& look);
    // All is written: keeps only the last states in memory.
    void make_room(const ForShards& for_shards);
    // True: runs were merged. `has_time_for`: for writing so many bytes.
    bool merge_on_disk(const ForShards& for_shards,
                       const std::function<bool(std::uint64_t bytes)>& has_time_for);
    // Room on disk for as many states as there may be in memory. False: there is none.
    [[nodiscard]] bool reserve_disk();
    // The files go with the store.
    void forget_disk();

  private:
    static constexpr const char* kTooManyStates = "more than 4,294,967,264 states";

    struct Shard {
        Shard(PageArena& arena, const RecordShape& shape, bool is_exact)
            : keys(arena, is_exact ? shape.words : 1),
              parents(arena),
              table(arena, is_exact && shape.is_packed ? SlotTags::kWhole : SlotTags::kPartial),
              waiting(arena, shape.words),
              coming(arena, shape.words) {}

        SegmentedArray<std::uint64_t> keys;  // records, or fingerprints
        SegmentedArray<StateId> parents;
        VisitedTable table;
        // Fingerprints only: records of the states to be expanded in this level and in the next.
        SegmentedArray<std::uint64_t> waiting;
        SegmentedArray<std::uint64_t> coming;
        std::size_t first_waiting = 0;
        std::size_t first_coming = 0;
        bool leads_back = false;
        // The number of the first state in memory: the table has it as 0.
        std::size_t base = 0;
        std::size_t settled = 0;  // the first number that is not

        [[nodiscard]] std::size_t size() const { return base + parents.size(); }
    };

    // A packed record that could be in this shard.
    [[nodiscard]] bool belongs_to(const Shard& shard, std::uint64_t record) const {
        return &shards_[shard_of(record)] == &shard &&
               scattered(gathered(record)) == without_note(record);
    }
    // `place`: as VisitedTable::find leaves it.
    [[nodiscard]] std::uint32_t find(const Shard& shard, const std::uint64_t* record,
                                     std::uint64_t hash, Place& place) const {
        if (knows_by_slot()) {
            return shard.table.find(hash, place, [](std::uint32_t) { return true; });
        }
        if (tails_ != nullptr) {
            return shard.table.find(hash, place, [&](std::uint32_t other) {
                return covers(shard.keys.at(other), record);
            });
        }
        return shard.table.find(hash, place, [&](std::uint32_t other) {
            return is_same(shard.keys.at(other), record, hash);
        });
    }
    [[nodiscard]] bool covers(const std::uint64_t* known, const std::uint64_t* record) const {
        return shape_.same_before_tail(known, record) &&
               tails_->covers(shape_.tail(known), shape_.tail(record));
    }

    void grow_table(Shard& shard) const {
        shard.table.grow([&](std::uint32_t index) {
            const std::uint64_t* key = shard.keys.at(index);
            return is_exact_ ? shape_.fingerprint(key) : *key;
        });
    }

    [[nodiscard]] const std::uint64_t* record_on_disk(StateId id, RecordCache& cache) const;
    [[nodiscard]] StateId parent_on_disk(StateId id) const;
    [[nodiscard]] std::uint64_t fingerprint_of(const Shard& shard, std::size_t position) const;
    [[nodiscard]] std::vector<std::uint32_t> known_on_disk(std::size_t number);
    void remove(Shard& shard, const std::vector<std::uint32_t>& positions);
    void fill_table(Shard& shard) const;
    void drop_first(Shard& shard, std::size_t count) const;
    void write_out(bool coming, const ForShards& for_shards, const LookAtClock& look);
    template <class File>
    void save_shard(const Shard& shard, File& file) const;
    void load_from_memory(CheckpointReader& file, const Ranks* ranks);
    void load_shard(CheckpointReader& file, Shard& shard);
    [[nodiscard]] std::size_t pass_over_shard(CheckpointReader& file) const;
    void load_from_disk(CheckpointReader& file, const ForShards& for_shards);

    RecordShape shape_;
    bool is_exact_;
    const TailOrder* tails_;
    const DiskPlan* plan_;
    std::unique_ptr<DiskStates> disk_;  // once there is something to write
    std::unique_ptr<PageArena> arena_;
    std::vector<Shard> shards_;
    ShardSizes sizes_loaded_{};
};

}  // namespace lockkeeper

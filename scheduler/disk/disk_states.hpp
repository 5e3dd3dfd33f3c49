// SPDX-License-Identifier: Apache-2.0

// The states of a search that are on disk: the first so many of each shard, by number. A log keeps
// all of them; sorted runs beside it tell whether a state is new. Used by StateStore, which has the
// other states in memory (state_store.hpp).
//
// A checkpoint names the files. What it names stays until the next checkpoint is written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/disk/disk_directory.hpp"
#include "scheduler/disk/key_filter.hpp"
#include "scheduler/disk/sorted_run.hpp"
#include "scheduler/disk/state_log.hpp"
#include "scheduler/states/record_shape.hpp"

namespace lockkeeper {

// Where a search may go on when its memory is full, and how much it has.
struct DiskPlan {
    const DiskDirectory* directory = nullptr;
    std::uint64_t states_in_memory = 0;  // at most
    std::uint64_t filter_bytes = 0;
    std::size_t runs_of_rank = 4;  // so many are merged into one of the next rank
};

// Calls a task for each shard, by several workers.
using ForShards = std::function<void(const std::function<void(std::size_t shard)>& task)>;

class DiskStates {
  public:
    // Either begin() or load() comes first. The filters take a while where memory is large: what
    // `look` throws is thrown on.
    DiskStates(const DiskPlan& plan, const RecordShape& shape, const LookAtClock& look = nullptr);
    DiskStates(const DiskStates&) = delete;
    DiskStates& operator=(const DiskStates&) = delete;
    // Files that a checkpoint names stay, unless forget() was called.
    ~DiskStates();

    [[nodiscard]] std::uint64_t size_of(std::size_t shard) const { return log_->size_of(shard); }
    [[nodiscard]] std::size_t bytes() const;  // in memory
    [[nodiscard]] const std::uint64_t* record(std::size_t shard, std::uint64_t index,
                                              RecordCache& cache) const {
        return log_->record(shard, index, cache);
    }
    [[nodiscard]] StateId parent(std::size_t shard, std::uint64_t index) const {
        return log_->parent(shard, index);
    }

    // --- which states are here -----------------------------------------------------------------

    [[nodiscard]] const KeyFilter& filter(std::size_t shard) const { return filters_[shard]; }
    // Returns the `questions` whose states are here, answered.
    [[nodiscard]] std::vector<DiskQuestion> known_of(std::size_t shard,
                                                     std::vector<DiskQuestion> questions) const;

    // --- writing -------------------------------------------------------------------------------

    // Without states. Throws DiskLimit.
    void begin();
    // The next states of each shard. `coming`: all of the level that is being found. Throws
    // DiskLimit, or what `look` throws; then nothing has changed.
    void add(const ShardsToWrite& shards, bool coming, const ForShards& for_shards,
             const LookAtClock& look);
    // From now on the states that were coming count as a level like all before.
    void begin_level();
    // Merges runs where there are so many of one rank. False: there are not, or the disk is too
    // full, or there is no time for it: `has_time_for` so many bytes that are yet to be written.
    using HasTimeFor = std::function<bool(std::uint64_t bytes)>;
    bool merge(const ForShards& for_shards, const HasTimeFor& has_time_for);
    // Reserves room for so many states more. False: there is no room.
    [[nodiscard]] bool reserve(std::uint64_t states) const;
    void release_reserve() const { plan_.directory->remove(plan_.directory->reserve()); }

    // --- checkpoints ---------------------------------------------------------------------------

    // Throws DiskLimit.
    void save(CheckpointWriter& file);
    // save() has been completed: files that it did not name go.
    void end_saving();
    // Throws CheckpointError.
    void load(CheckpointReader& file, const ForShards& for_shards);
    // The checkpoint is whole: files that it does not name go.
    void end_loading();
    // The destructor will remove all files.
    void forget() { is_saved_ = false; }

  private:
    using Run = std::unique_ptr<SortedRun>;

    [[nodiscard]] std::size_t words() const { return shape_.words; }
    [[nodiscard]] Run new_run(const SortedRun::Counts& counts);
    void write_run(SortedRun& run, std::size_t shard, const StatesToWrite& states);
    void drop_run(const SortedRun& run) const;
    // The runs from `first` on, so many. False: there is no time for it.
    bool merge(std::size_t first, std::size_t count, const ForShards& for_shards,
               const HasTimeFor& has_time_for);
    void merge_shard(std::span<const Run> from, SortedRun& to, std::size_t shard) const;

    DiskPlan plan_;
    RecordShape shape_;
    std::uint64_t seed_;
    std::uint64_t next_run_ = 0;
    std::unique_ptr<StateLog> log_;
    std::vector<Run> runs_;                // the newest last
    std::vector<std::uint64_t> obsolete_;  // runs that the last checkpoint may name
    std::vector<KeyFilter> filters_;       // of each shard
    bool is_saved_ = false;
};

}  // namespace lockkeeper

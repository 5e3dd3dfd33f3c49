// SPDX-License-Identifier: Apache-2.0

// How a search with a directory shares out its memory: some is left to the program; half of the
// rest is for states, three eighths for the filter, and what remains for sorting and writing.
#pragma once

#include <algorithm>
#include <string>

#include "scheduler/disk/disk_options.hpp"
#include "scheduler/disk/disk_states.hpp"

namespace lockkeeper {

// How many states fit in `bytes` of the store (visited_table.hpp, state_store.hpp).
[[nodiscard]] inline std::uint64_t states_within(std::uint64_t bytes, const RecordShape& shape) {
    const std::uint64_t of_record = shape.words * sizeof(std::uint64_t) + sizeof(StateId);
    constexpr std::uint64_t kSlot = sizeof(std::uint64_t);
    if (!shape.is_packed) {
        return bytes / (2 * kSlot + of_record);
    }
    // Tables double when they are filled to three quarters; some shards have more than others.
    std::uint64_t most = 1;
    for (std::uint64_t slots = 64 * kStateShards; slots * kSlot < bytes; slots *= 2) {
        most = std::max(most, std::min(slots * 7 / 10, (bytes - slots * kSlot) / of_record));
    }
    return most;
}

class DiskBudget {
  public:
    // Claims the directory. Throws CheckpointError.
    DiskBudget(const DiskOptions& options, const std::string& resume_from, std::uint64_t bytes)
        : directory_(options.directory, resume_from),
          options_(options),
          bytes_(std::min(bytes, kBytesMost)) {
        bytes_ -= std::min(bytes_ / 3, kBytesAnyway);
    }
    DiskBudget(const DiskBudget&) = delete;
    DiskBudget& operator=(const DiskBudget&) = delete;

    // For a store of such records. Lives as long as this.
    [[nodiscard]] const DiskPlan& plan(const RecordShape& shape) {
        plan_.directory = &directory_;
        plan_.runs_of_rank = options_.runs_of_rank;
        plan_.states_in_memory = options_.states_in_memory > 0 ? options_.states_in_memory
                                                               : states_within(bytes_ / 2, shape);
        plan_.filter_bytes = options_.states_in_memory > 0
                                 ? options_.states_in_memory * kBytesOfFilterState
                                 : bytes_ / 8 * 3;
        return plan_;
    }

  private:
    static constexpr std::uint64_t kBytesMost = std::uint64_t{1} << 42U;
    // The program, what is known of parts and steps, and a round.
    static constexpr std::uint64_t kBytesAnyway = std::uint64_t{96} << 20U;
    // Small enough to be wrong now and then when there is little memory.
    static constexpr std::uint64_t kBytesOfFilterState = 8;

    DiskDirectory directory_;
    DiskOptions options_;
    std::uint64_t bytes_;
    DiskPlan plan_;
};

}  // namespace lockkeeper

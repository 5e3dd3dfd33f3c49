// SPDX-License-Identifier: Apache-2.0

// The options and the result of an exploration. Plain values, the same for every System.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/property.hpp"
#include "model/reduction.hpp"
#include "model/verdict.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/interrupt.hpp"
#include "scheduler/disk/disk_options.hpp"
#include "scheduler/search/estimate.hpp"

namespace lockkeeper {

class Ranks;  // scheduler/ranks/ranks.hpp

enum class Frontier : std::uint8_t { kQueue, kStack };
enum class Storage : std::uint8_t { kExact, kFingerprints };
// Counting interleavings needs the whole graph in memory; kAuto does it up to `kCountedStatesMax`.
enum class Counting : std::uint8_t { kAuto, kOn, kOff };
inline constexpr std::uint64_t kCountedStatesMax = 1'000'000;

// How several processes have searched together.
struct RanksUse {
    std::size_t count = 0;
    std::uint64_t bytes_sent = 0;
    double imbalance = 1;      // states of the one that keeps most, by the mean
    double share_waiting = 0;  // of the time of all
};

struct ExploreProgress {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t depth = 0;
    std::uint64_t frontier = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
    std::optional<TotalEstimate> estimate;  // of the states in all
    std::optional<RanksUse> ranks;
};

// Where a search that did not come to its end is kept, to go on with it later.
struct CheckpointOptions {
    std::string save_to;  // empty: nowhere. Written when a limit or an interrupt ends the search
    double every = 600;   // seconds; and so often while it runs
    std::string resume_from;  // empty: from the beginning
    // Must be the same when going on: scenario, properties, options, version.
    std::string identity;
    // Told before a write that keeps a person waiting: the last one, and one that takes long.
    std::function<void(const std::string&)> tell{};
};

// --keep-going shows at most so many causes of one property.
inline constexpr std::size_t kCausesMax = 16;

struct FoundViolation {
    const Property* property = nullptr;
    Schedule schedule;  // from the initial state, the last action violates
    std::size_t cycle_start = static_cast<std::size_t>(-1);  // livelock: from here on a cycle
    std::string cause = {};   // its last decisive step in words, where causes were asked for
    bool causes_cut = false;  // its property may have more causes: a limit came first
};

// `auto` (scheduler/auto_reduction.hpp): without further reductions up to so many states, which
// keeps the counts of small scopes; a larger scope is searched again with what is sound.
struct AutoReduction {
    bool is_on = false;
    std::uint64_t states_before = 300'000;
    // Why every state is needed, for people: then nothing further is used. Empty: it is not.
    std::string_view every_state_for = {};
    bool wants_shortest = false;  // no reduction that promises no shortest lengths
};

struct ExploreOptions {
    std::vector<const Property*> check;
    std::vector<const Property*> reach;
    Frontier frontier = Frontier::kQueue;
    Storage storage = Storage::kExact;
    Counting counting = Counting::kAuto;
    bool symmetry = true;  // where the System has any
    Reduction reduction = Reduction::kNone;
    bool sleep_sets = true;  // where they are known; the same states and transitions
    AutoReduction automatic;
    std::size_t jobs = 1;        // workers; verdict, counts and traces do not depend on it
    bool stop_at_first = false;  // at the first violation; the exploration is then incomplete
    std::size_t causes_max = 1;  // of each property, violations with different causes; 1: the first
    std::uint64_t states_max = UINT64_MAX;
    std::uint64_t depth_max = UINT64_MAX;          // states at most so many steps away are expanded
    std::uint64_t bytes_max = UINT64_MAX;          // of what is stored
    std::uint64_t process_bytes_max = UINT64_MAX;  // resident; see process_memory.hpp
    double seconds_max = 1e18;
    std::function<void(const ExploreProgress&)> progress;  // may be empty
    // Tells the user, before the search ends, of a field that keeps growing. May be empty.
    std::function<void(const std::string&)> hint;
    // The first violation of each property, as soon as it is known. May be empty.
    std::function<void(const FoundViolation&)> found;
    // True: the search ends as if it were interrupted, and others go on. May be empty.
    std::function<bool()> stop;
    // The bytes of each state that was reached, once the search is complete (exact storage, all in
    // memory). May be empty.
    std::function<void(std::string_view)> each_state;
    CheckpointOptions checkpoint;
    DiskOptions disk;
    // Other processes that do the same search with this one; nullptr: none. Goes with the queue,
    // not with a disk. Only the first process calls progress, hint and found, and tells of
    // checkpoints.
    Ranks* ranks = nullptr;
};

struct ExploreResult {
    Verdict verdict;
    bool complete = false;
    std::string limit;                  // which one ended it, when it is not complete
    bool stopped_at_violation = false;  // that was it
    std::string growing;  // of a search that a limit ended: the field that kept growing, in words
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::uint64_t depth = 0;  // steps of the longest shortest path
    std::uint64_t terminal_states = 0;
    bool runs_end = false;        // of a reduced search that was asked for livelock: each run ends
    std::optional<bool> acyclic;  // by the graph, or by the levels of the search
    std::optional<std::string> interleavings;  // maximal ones, exact, decimal; acyclic graphs only
    std::vector<FoundViolation> violations;    // the first of each property (and cause), by length
    std::vector<const Property*> reached;      // goals
    bool used_symmetry = false;
    bool used_sleep_sets = false;
    Reduction reduction = Reduction::kNone;  // the one that was used
    std::uint64_t states_before = 0;         // `auto`: of the search before, without that reduction
    double seconds_before = 0;               // its time
    bool beyond_clock = false;       // found in relative time, and the clock has no numbers for it
    std::string checkpoint_written;  // file, if any
    std::string checkpoint_error;    // why it could not be written
    double seconds = 0;              // of the search
    double graph_seconds = 0;        // after it: interleavings, livelock
    std::uint64_t bytes_stored = 0;
    std::uint64_t bytes_of_state = 0;
    std::optional<RanksUse> ranks;
    double omission_probability = 0;  // fingerprints only: that some state was taken for another

    void end_at(std::string_view which) {
        complete = false;
        limit = which;
    }
};

// By a signal, or by whoever asked for this search.
[[nodiscard]] inline bool has_to_stop(const ExploreOptions& options) {
    return interrupt_requested() || (options.stop && options.stop());
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The findings of a search over outside code, and its runs (search.hpp). Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/runs/trace.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/outside/tally.hpp"

namespace lockkeeper {

enum class OutsideMethod : std::uint8_t { kExplore, kRandom, kBoth };
// In the order of OutsideMethod.
inline constexpr const char* kOutsideMethods[] = {"explore", "random", "both"};
[[nodiscard]] constexpr const char* name_of(OutsideMethod method) {
    return kOutsideMethods[static_cast<std::size_t>(method)];
}

// A violation that ended a run, and the run. `property` null: a misbehaviour ended the run.
struct OutsideFinding {
    const Property* property = nullptr;
    std::optional<Misbehaviour> misbehaviour;
    std::string detail;
    std::vector<Action> actions;
    std::vector<std::string> shown;  // each step in words, as it was when this was found
    std::string found_by;
    bool in_look = false;  // found in the look at the end, after all actions
};

// The result of exploring, before schedules were drawn.
struct ExploredFirst {
    std::uint64_t schedules = 0;
    std::string limit;  // as in OutsideResult; empty: nothing was left to explore
};

struct OutsideResult {
    std::optional<OutsideFinding> finding;  // as it was found; see shrink
    std::string diverged;  // not empty: the code is not deterministic, and its two answers
    bool complete = false;
    std::string limit;    // why it ended: "schedules", "time", "interrupted", "first violation"
    bool is_cut = false;  // by the time or an interrupt
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    OutsideTally tally;         // of all runs; repeated beginnings count once
    std::uint64_t reduced = 0;  // runs that were cut: explored already in another order
    double reduced_seconds = 0;
    std::optional<ExploredFirst> explored_first;
    std::uint64_t states = 0;  // kept, in the last round; 0: states are not known
    // The largest bound on preemptions that was searched completely.
    std::optional<std::uint32_t> preemptions_done;
    JudgedCalls calls;  // of the last run
    double seconds = 0;
};

// Its steps: those of the actions, then those of the look at the end.
struct OutsideTrace : Trace {
    std::size_t look_steps = 0;  // how many of the latter there are
    std::optional<Misbehaviour> misbehaviour;
    std::string detail;
    std::optional<std::size_t> impossible;  // the first action that could not be taken, from 0
    bool looked = false;                    // ended at rest, and a fresh client was tried
    bool stopped = false;                   // time or an interrupt cut the run short
    JudgedCalls calls;
    // See OutsideTally: what the reader must know of this run, and why it could not pass.
    std::set<std::string> remarks;
    std::string not_judged;
};

// The steps of a trace in words, each with its result.
[[nodiscard]] std::vector<std::string> shown_steps(const OutsideTrace& trace);
// "step 3: first X, then Y"; empty: the same.
[[nodiscard]] std::string step_difference(const std::vector<std::string>& first,
                                          const std::vector<std::string>& then);

}  // namespace lockkeeper

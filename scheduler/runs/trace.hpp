// SPDX-License-Identifier: Apache-2.0

// One run of a System, step by step, and how a schedule is replayed. Plain values, the same for
// every System.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/history.hpp"
#include "model/property.hpp"
#include "model/schedule.hpp"
#include "model/server_step.hpp"
#include "scheduler/runs/overlaps.hpp"
#include "scheduler/runs/trace_values.hpp"

namespace lockkeeper {

enum class OnDivergence : std::uint8_t {
    kStop,
    kContinue,  // pass over actions that are not possible
    kNearest,   // take the same party's possible action instead, else pass over
};

struct TraceStep {
    Action action;
    Event event;
    std::string text;    // "A acquire: update_counter db[1]"
    std::string result;  // "-> 2", "-> 2, full", "-> acquired, count 3"
    std::string state;   // "db [2,1] highest 2  held by A, B", after the step
    std::vector<const Property*> violates;
    std::vector<const Property*> also_violates = {};  // of those that are only watched
    bool is_cause = false;
    // Only in runs that are described:
    std::uint32_t party = 0;  // in Trace::parties: who acts
    StepWords words = {};
    ServerAct act = {};
    std::vector<ShownChange> changes = {};  // what the state after it shows otherwise
};

struct Divergence {
    std::size_t step = 0;  // from 0, of the schedule that was asked for
    std::string reason;
};

struct Trace {
    std::string initial_state;
    std::vector<TraceStep> steps;
    std::vector<const Property*> violated;  // in order, each once (deadlock included)
    std::vector<const Property*> judged;    // all that were checked or watched
    std::vector<Divergence> divergences;
    History history;
    std::vector<Overlap> overlaps;  // of runs that are described
    // Also only of runs that are described: the values beside the words (trace_values.hpp).
    std::vector<TraceParty> parties;  // callers first, by their number
    std::vector<std::string> keys;
    std::vector<ShownField> fields;
    std::vector<std::int32_t> initial_values;  // of each field, before the first step
    std::vector<TraceMessage> messages;        // in the order in which they are sent
    std::uint32_t features = 0;                // ObservedFeature: what the system can show
    ShownNames names;
    // By key, at the end: the buckets that exist.
    std::vector<std::vector<std::int32_t>> counters;
    bool is_cut = false;  // by ReplayOptions::stop, before its last step
    bool deadlocked = false;
    bool time_is_over = false;  // no deadlock: virtual time has come to its end
    bool all_finished = false;
    std::size_t cycle_start = static_cast<std::size_t>(-1);
    bool cycle_closes = false;  // with cycle_start: the last state equals the one at its start

    [[nodiscard]] Schedule schedule(std::uint64_t seed) const {
        Schedule out{seed, {}};
        for (const TraceStep& step : steps) {
            out.actions.push_back(step.action);
        }
        return out;
    }
};

struct ReplayOptions {
    std::vector<const Property*> check;
    // Judged and noted too, but apart from `check`: their violations decide nothing.
    std::vector<const Property*> watch;
    OnDivergence on_divergence = OnDivergence::kStop;
    bool describes = true;  // false: no text, result and state of each step (long runs)
    std::size_t cycle_start = static_cast<std::size_t>(-1);
    // When not empty: the recorded "text result" of each step; a difference is a divergence.
    std::vector<std::string> labels;
    std::function<bool()> stop{};  // asked before each step; null: the run goes to its end
};

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The one door through which app, reports and end-to-end tests run a System, whatever its type.
// `SystemRunner<S>` (system_runner.hpp) implements it for any System; the registry makes one for
// each scenario.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "model/history.hpp"
#include "model/world_config.hpp"
#include "scheduler/ranks/helpers.hpp"
#include "scheduler/runs/overlaps.hpp"
#include "scheduler/runs/trace_values.hpp"
#include "scheduler/runs/walker.hpp"
#include "scheduler/search/explore.hpp"
#include "scheduler/search/shrink_limits.hpp"

namespace lockkeeper {

class AnyRunMaker;  // scheduler/runs/made_run.hpp

struct FuzzProgress {
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    double seconds = 0;
};

struct FuzzOptions {
    std::vector<const Property*> check;
    std::vector<const Property*> reach;
    std::string strategy = "feedback";  // see strategy.hpp
    bool symmetry = true;               // feedback takes states for one that differ only in names
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;
    std::uint64_t steps_max = 10'000;  // of one schedule
    double seconds_max = 1e18;
    std::size_t jobs = 1;  // of each rank; the same result with any number
    Helpers helpers;       // other ranks; the same
    bool stop_at_first = true;
    bool check_determinism = false;  // run every schedule twice and compare
    std::vector<Schedule> corpus;    // tried before anything is chosen
    std::function<void(const FuzzProgress&)> progress;
};

struct FuzzResult {
    Verdict verdict;
    std::string limit;  // why it ended: "schedules", "time", "interrupted", "first violation"
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    std::uint64_t cut_schedules = 0;         // that reached steps_max before their end
    std::vector<FoundViolation> violations;  // the first of each property
    std::vector<std::string> found_by;       // beside it: the strategy, or "corpus"
    std::vector<const Property*> reached;
    double seconds = 0;
};

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

struct ShrinkResult {
    Schedule schedule;                // violates the same property in its last step
    std::vector<std::size_t> causes;  // steps whose decision the violation needs, from 0
    std::uint64_t replays = 0;
    bool is_cut = false;  // time was up: it may be longer than need be, and causes are not known
};

// A run that does not break a property, and begins as one that does.
struct PassingRun {
    Schedule schedule;
    std::size_t differs_at = 0;  // the first step, from 0, that is not the same
    bool ends = true;            // false: it goes on for ever, and is shown for a while
};

class Runner {
  public:
    Runner() = default;
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    virtual ~Runner() = default;

    [[nodiscard]] virtual const WorldConfig& world() const = 0;
    [[nodiscard]] virtual std::uint32_t features() const = 0;  // ObservedFeatures
    [[nodiscard]] virtual std::size_t state_bytes() const = 0;
    // The system itself, for what is compiled once for all systems (measure/).
    [[nodiscard]] virtual ErasedSystem erased() const = 0;
    // Random runs by a law, compiled with the system.
    [[nodiscard]] virtual MakeWalker walkers() const = 0;
    // Follows the options, `auto` included (auto_reduction.hpp).
    [[nodiscard]] ExploreResult explore(const ExploreOptions& options) const;
    // One search, with the reduction that the options name.
    [[nodiscard]] virtual ExploreResult explore_once(const ExploreOptions& options) const = 0;
    // Returns which of the reductions in the options it does.
    [[nodiscard]] virtual Reductions possible(const ExploreOptions& options) const = 0;
    [[nodiscard]] virtual FuzzResult fuzz(const FuzzOptions& options) const = 0;
    // Makes single runs of a fuzz() that others decide about. The options live as long.
    [[nodiscard]] virtual std::unique_ptr<AnyRunMaker> run_maker(
        const FuzzOptions& options) const = 0;
    [[nodiscard]] virtual Trace replay(const Schedule& schedule,
                                       const ReplayOptions& options) const = 0;
    // Each entry runs that caller's next whole operation, then what the background has to do.
    [[nodiscard]] virtual Trace run_in_order(const std::vector<std::size_t>& callers,
                                             const ReplayOptions& options) const = 0;
    // Returns what it has reached when a limit ends it.
    [[nodiscard]] virtual ShrinkResult shrink_within(const Schedule& schedule,
                                                     const Property& property,
                                                     const ShrinkLimits& limits) const = 0;
    // With the longest common beginning that flipping one decision of `schedule` allows. The
    // schedule breaks the property at its end.
    [[nodiscard]] virtual std::optional<PassingRun> nearest_passing(
        const Schedule& schedule, const Property& property, const ShrinkLimits& limits) const = 0;
    [[nodiscard]] ShrinkResult shrink(const Schedule& schedule, const Property& property) const {
        return shrink_within(schedule, property, {});
    }
};

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// What searches over outside code have in common: what they find, and how that is made short and
// explained. The code cannot be copied, so each candidate is run from the beginning, and actions
// that are not possible are passed over. Programs of the protocol (stepped_search.hpp) and
// unmodified clients (validate/wire/wire_search.hpp) say how one run is driven.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/action_class.hpp"
#include "scheduler/runner.hpp"
#include "validate/programs/call_history.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/programs/outside_tally.hpp"

namespace lockkeeper {

inline constexpr std::uint64_t kShrinkReplaysMax = 2'000;
// So many further steps may a run take that is gone on with.
inline constexpr std::size_t kGoneOnStepsMax = 1'000;

// What ended a run, and the run. `property` null: a misbehaviour.
struct SteppedFinding {
    const Property* property = nullptr;
    std::optional<Misbehaviour> misbehaviour;
    std::string detail;
    std::vector<Action> actions;
    std::vector<std::string> shown;  // each step in words, as it was when this was found
    std::string found_by;
    bool in_probe = false;  // it misbehaved in the look at the end, after all actions
};

// So many schedules more are looked at for a finding that explains more than this one: that there
// is room for too many follows from something that callers do, and that no order explains a history
// often from a lock that two had.
inline constexpr std::uint64_t kVisibleSchedulesMax = 1'000;
[[nodiscard]] bool may_follow_from_others(const SteppedFinding& finding, const OutsideWorld& world);

// What exploring did before random schedules were drawn.
struct ExploredFirst {
    std::uint64_t schedules = 0;
    std::string limit;  // as in SteppedResult; empty: nothing was left to explore
};

struct SteppedResult {
    std::optional<SteppedFinding> finding;  // as it was found; see shrink
    std::string diverged;  // not empty: the program is not deterministic, and its two answers
    bool complete = false;
    std::string limit;    // why it ended: "schedules", "time", "interrupted", "first violation"
    bool is_cut = false;  // by the time or an interrupt
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    OutsideTally tally;         // of all runs; repeated beginnings count once
    std::uint64_t reduced = 0;  // runs that were left at once: looked at in another order
    double reduced_seconds = 0;
    std::optional<ExploredFirst> explored_first;
    std::uint64_t states = 0;  // kept, in the last round; 0: the program is not stateless
    // The largest bound on preemptions that was searched completely.
    std::optional<std::uint32_t> preemptions_done;
    JudgedCalls calls;  // of the last run
    double seconds = 0;
};

struct SteppedTrace {
    std::string initial_state;
    std::vector<TraceStep> steps;  // of the actions, then of the look at the end
    std::size_t probe_steps = 0;   // how many of the latter there are
    std::vector<const Property*> violated;
    std::optional<Misbehaviour> misbehaviour;
    std::string detail;
    std::optional<std::size_t> impossible;  // the first action that could not be taken, from 0
    bool probed = false;                    // ended at rest, and a fresh client was tried
    bool stopped = false;                   // the time was over, or somebody interrupted: a part
    JudgedCalls calls;
    // Of OutsideTally: what readers have to know of this run, and why a pass would be none.
    std::set<std::string> remarks;
    std::string not_judged;
};

// What a verdict asks of a search once it has found something, or is to repeat a run.
class OutsideSearch {
  public:
    OutsideSearch() = default;
    OutsideSearch(const OutsideSearch&) = delete;
    OutsideSearch& operator=(const OutsideSearch&) = delete;
    virtual ~OutsideSearch() = default;

    [[nodiscard]] virtual SteppedResult search() = 0;
    // A shorter run with the same end; at most kShrinkReplaysMax runs, and no longer than the
    // search's time: then the shortest so far.
    [[nodiscard]] SteppedFinding shrink(const SteppedFinding& finding);
    // The steps that its end needs: each decision is taken the other way, all else as before, and
    // the run is gone on with. Empty: none alone, or there was no time to ask.
    [[nodiscard]] std::vector<std::size_t> causes_of(const SteppedFinding& finding);
    // Exactly these actions, up to the first violation or impossible one; as long as a search may
    // take.
    [[nodiscard]] virtual SteppedTrace replay(const std::vector<Action>& actions) = 0;
    // The same for what a search has found, in what is left of its time and at least kShowSeconds,
    // interrupted or not. Where the program hangs is not waited for again: the run is shown up to
    // there.
    [[nodiscard]] virtual SteppedTrace show(const SteppedFinding& finding) = 0;
    // Shows it several times more: what is different from `trace`, in two answers; empty: nothing.
    // A hang is not waited for again.
    [[nodiscard]] virtual std::string repeated_difference(const SteppedFinding& finding,
                                                          const SteppedTrace& trace) = 0;

  protected:
    // Runs that are known: each as it is, and once more gone on with. What is not possible of it is
    // left out; whatever violation it comes to counts.
    [[nodiscard]] std::optional<SteppedFinding> try_known(const std::vector<Schedule>& corpus);

    // A search has found it. What may follow from something else is kept aside for a while.
    void take_finding(SteppedFinding finding, const OutsideWorld& world, SteppedResult& result);
    // It has been kept aside for long enough.
    [[nodiscard]] bool has_waited(const SteppedResult& result) const {
        return hidden_ && result.schedules >= hidden_until_;
    }
    // At the end of the search: where nothing else was found, what was kept aside.
    void take_hidden(SteppedResult& result);
    void forget_hidden() { hidden_.reset(); }

  private:
    friend class OutsideWalker;
    enum class Goes : std::uint8_t { kToItsEnd, kOn };

    // One run, as shrinking and explaining drive it.
    virtual void stop_by(const ChildProcess::StopRule& rule) = 0;
    [[nodiscard]] virtual ChildProcess::Deadline deadline() const = 0;
    virtual void begin_run() = 0;
    [[nodiscard]] virtual std::vector<Action> possible() = 0;
    virtual void go(Action action) = 0;
    [[nodiscard]] virtual bool at_rest() = 0;
    virtual void look_at_end() = 0;
    // Every script has ended, and nothing is under way.
    [[nodiscard]] virtual bool is_finished() = 0;
    [[nodiscard]] virtual ActionClass class_of(Action action) const = 0;
    // Acquires that were granted since the last time that somebody asked.
    [[nodiscard]] virtual OutsideTally take_tally() = 0;
    [[nodiscard]] virtual const std::vector<const Property*>& violated() const = 0;
    // A deadlock counts, where these are all that is possible.
    [[nodiscard]] virtual const std::vector<const Property*>& broken(
        const std::vector<Action>& enabled) = 0;
    // After a run that ended in the middle.
    virtual void give_up() = 0;

    // `finding`: null is any.
    [[nodiscard]] std::optional<std::vector<Action>> ends_so(const std::vector<Action>& actions,
                                                             const SteppedFinding* finding,
                                                             Goes goes);
    [[nodiscard]] bool may_go_on(ChildProcess::Deadline last) const;
    [[nodiscard]] std::vector<std::vector<Action>> possible_in(const std::vector<Action>& actions);

    std::uint64_t replays_ = 0;
    std::optional<SteppedFinding> hidden_;  // see may_follow_from_others
    std::uint64_t hidden_until_ = 0;        // schedules
};

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// One run of outside code as a search drives it: a program of the protocol (SteppedRun), or
// unmodified clients at the wire (WireRun). A source chooses nothing. It reports to its ledger,
// which judges.
//
//   begin()                        a fresh run
//   enabled() -> one -> take(it)   until enabled() is empty; faults come last in it
//   look(how)                      at rest, as the end of a run: fresh clients must get what is
//                                  free, and no more
//
// A search skips runs in one of three ways, depending on what the source can say:
//   knows_states()    key(): equal keys, equal futures. The search continues once from each state
//   shows_effects()   steps say what they touch: the search explores one order of commuting steps
//   neither           few interruptions of an operation by others come first
// begin(), take() and look() throw Misbehaved where the code does wrong, and Stopped by a StopRule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/action.hpp"
#include "model/action_class.hpp"
#include "model/operation.hpp"
#include "model/property.hpp"
#include "scheduler/runs/trace.hpp"
#include "validate/outside/actions.hpp"
#include "validate/outside/ledger.hpp"
#include "validate/outside/outside_world.hpp"
#include "validate/outside/step_effect.hpp"
#include "validate/outside/stop_rule.hpp"

namespace lockkeeper {

// The end of a call: its answer, or (nothing was told) the death of its caller within it.
struct CallEnd {
    std::string text;  // "acquired, count 2", "full", "released", "died", ...
    Verb verb = Verb::kAcquire;
    std::optional<Told> told = {};
    bool ends_belief = false;  // by another call than a release
};

struct OutsideStep {
    std::string text;    // "A1 acquire: read db"
    std::string result;  // "-> 2, acquired"
    // Filled in where steps say what they touch.
    StepEffect effect = {};
    std::uint64_t bytes = 0;  // a fingerprint of all that went over the wire
    // For programs: the call that begins with this step, and the end of one with it.
    std::optional<Operation> called = {};
    std::optional<CallEnd> returned = {};
    // A signal, a wait or a sleep, which the script does alone: the program does not hear of it.
    std::optional<Operation> alone = {};
    bool ended = false;  // the caller's process has ended: killed, or by its script
};

// A step as reports write it: the action, and its result.
[[nodiscard]] std::string shown_step(const std::string& text, const std::string& result);

enum class Look : std::uint8_t {
    kSearching,   // nobody reads its steps
    kShown,       // its steps are kept
    kShownShort,  // the same in fewer steps; it may miss what only a repeated question finds
};

class Source : protected LedgerTime {
  public:
    explicit Source(const OutsideWorld& world, Histories histories = Histories::kHere)
        : world_(world), ledger_(world, *this, histories) {}
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    virtual void begin() = 0;
    [[nodiscard]] virtual std::vector<Action> enabled() = 0;
    virtual OutsideStep take(Action action) = 0;
    // Every caller's script has ended, or the caller is dead, and nothing is under way.
    [[nodiscard]] virtual bool finished() = 0;
    // No call is under way.
    [[nodiscard]] virtual bool at_rest() = 0;
    // Nobody can take a step, faults apart, somebody is unfinished, and no clock would help.
    [[nodiscard]] virtual bool is_deadlock(const std::vector<Action>& enabled) = 0;
    // `tell`: is called with each step of the look that is kept.
    using TellStep = std::function<void(TraceStep&)>;
    void look(Look how, TellStep tell = nullptr);

    // The state after a step: "db=1  held by A1".
    [[nodiscard]] virtual std::string describe() = 0;
    // The question of everybody under way at this moment: "A1 read db, A2 -".
    [[nodiscard]] virtual std::string questions() = 0;
    // The side that answers the callers, for reports: "program", "wire".
    [[nodiscard]] virtual std::string_view servers() const = 0;
    // Virtual time since the beginning of the run, for reports.
    [[nodiscard]] virtual std::int32_t time_shown() const = 0;
    // The class by which laws weigh the action (model/law.hpp).
    [[nodiscard]] virtual ActionClass class_of(Action action) = 0;

    // The search compares fingerprints where it repeats a run; seen() says the same in words.
    [[nodiscard]] virtual std::size_t fingerprint() {
        return std::hash<std::string>{}(questions());
    }
    [[nodiscard]] virtual std::string seen() { return questions(); }
    // The result of the run, for tests of reductions.
    [[nodiscard]] virtual std::string outcome() { return ""; }

    [[nodiscard]] virtual bool knows_states() { return false; }
    [[nodiscard]] virtual std::string key() { return ""; }
    [[nodiscard]] virtual bool shows_effects() { return false; }
    // The run can come to its end without this action. Used where steps say what they touch.
    [[nodiscard]] virtual bool is_optional(Action /*action*/) { return false; }
    // `right` continues what `left` was a step of.
    [[nodiscard]] virtual bool same_party(Action left, Action right) = 0;
    // The party of this action is in the middle of an operation and could continue.
    [[nodiscard]] virtual bool is_inside(Action /*action*/) { return true; }
    // A replay may take this action. A clock may advance further at once than in a search.
    [[nodiscard]] virtual bool is_possible(Action action, const std::vector<Action>& enabled) {
        return contains(enabled, action);
    }
    // Limits the faults and passages of time, counted together, of each run from now on, where the
    // source counts them.
    [[nodiscard]] virtual bool counts_faults() { return false; }
    virtual void allow_faults(std::uint32_t /*most*/) {}
    // A run since then could have had one more than the limit.
    [[nodiscard]] virtual bool ran_out_of_faults() { return false; }

    // Its last step undid a fault that has hit nobody: a run without that fault has the same rest.
    // Exploring leaves this one; drawn runs go on, and may still have the fault.
    [[nodiscard]] virtual bool has_shorter_twin() { return false; }

    virtual void stop_by(const StopRule& rule) = 0;
    // After a run that ended in the middle: ends its processes.
    virtual void give_up() = 0;
    // True: from now on unused processes run each run, to show it. False takes this back.
    virtual void use_fresh_processes(bool /*fresh*/) {}
    // The code was not the same twice. True: a process that was kept may be why, and from now on
    // each run has processes of its own, which is remarked with `difference`.
    [[nodiscard]] virtual bool keep_nobody(const std::string& /*difference*/) { return false; }

    void note_deadlock() { ledger_.note(PropertyNumber::kDeadlock); }
    // The simplest first: the others may follow from it.
    [[nodiscard]] const std::vector<const Property*>& violated() const {
        return ledger_.violated();
    }
    // Counts what happened since the last call of this.
    [[nodiscard]] OutsideTally take_tally() { return ledger_.take_tally(); }
    // The calls and returns until now; not those of the look at the end.
    [[nodiscard]] JudgedCalls calls() const { return ledger_.calls(); }
    // The steps of the look at the end, by fresh clients and the clock. For reports: these actions
    // cannot be replayed.
    [[nodiscard]] const std::vector<TraceStep>& steps_of_look() const { return steps_of_look_; }
    [[nodiscard]] const OutsideWorld& world() const { return world_; }
    [[nodiscard]] const std::vector<Ledger::Entry>& entries() const { return ledger_.entries(); }
    void observe(Observation& out);

  protected:
    // The grants to fresh clients of the look at the end.
    struct Asked {
        std::int64_t granted = 0;  // less the grants that ended while they waited
        bool is_cut = false;       // there were no more clients to ask
        bool is_unknown = false;   // an answer left open whether it was granted
        bool ends = false;         // what was granted may end by time
    };
    struct Asking {
        std::size_t first = 0;  // the number of the first client
        std::size_t most = 0;   // until one is refused, or so many are granted
        bool waits = false;  // for the clock, too; else a client that must wait counts as refused
    };
    struct LookedAt {
        Operation view;  // the acquire that the clients make
        Asked at_once;
    };
    [[nodiscard]] virtual Asked ask_fresh(const Operation& view, const Asking& asking,
                                          Look how) = 0;
    // Whether asking before any time passes can show anything.
    [[nodiscard]] virtual bool asks_at_once(std::uint32_t /*capacity*/, std::uint32_t /*held*/) {
        return true;
    }
    // Lets time pass until everything has ended that has a known end.
    virtual void pass_ends(Look how) = 0;
    // For a rate limiter: lets time pass to this moment, which is later than now.
    virtual void pass_until(std::int64_t moment, Look how) = 0;
    // The places granted at once that have not ended since.
    [[nodiscard]] virtual std::size_t still_held(const LookedAt& key) = 0;
    // A place that nobody gets would not come back.
    [[nodiscard]] virtual bool is_lost_for_ever() { return true; }
    // The places that operations see which follow resizes.
    [[nodiscard]] virtual std::uint16_t places_now() { return 1; }
    void show_in_look(Action action, std::string text, std::string result);

    const OutsideWorld& world_;
    Ledger ledger_;
    std::vector<TraceStep> steps_of_look_;

  private:
    TellStep tell_;
    // look.cpp
    [[nodiscard]] bool is_left_alone(std::uint8_t key, std::uint32_t capacity) const;
    void look_at_once(LookedAt& key, Look how);
    void look_later(const LookedAt& key, Look how);
    void look_at_rate(const Operation& view, Look how);
};

}  // namespace lockkeeper

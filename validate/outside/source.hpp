// SPDX-License-Identifier: Apache-2.0

// One run of outside code as a search drives it: a program of the protocol (SteppedRun), or
// unmodified clients at the wire (WireRun). It chooses nothing; what it tells is judged by the
// ledger that it keeps.
//
//   begin()                        a fresh run
//   enabled() -> one -> take(it)   until enabled() is empty; faults come last in it
//   look(how)                      at rest, and the last thing that a run can do: what is free then
//                                  a fresh client gets, and no more
//
// Three ways in which a search may leave something out, each by what a source can say:
//   knows_states()    key(): equal keys, equal futures. Known states are not gone on from again
//   shows_effects()   steps say what they touch: of two that commute one order is looked at
//   neither           few interruptions of an operation by others come first
// What the code does wrong leaves begin(), take() and look() as Misbehaved; a StopRule as Stopped.
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
#include "scheduler/runner.hpp"
#include "validate/outside/actions.hpp"
#include "validate/outside/ledger.hpp"
#include "validate/outside/outside_world.hpp"
#include "validate/outside/step_effect.hpp"
#include "validate/outside/stop_rule.hpp"

namespace lockkeeper {

struct OutsideStep {
    std::string text;    // "A1 acquire: read db"
    std::string result;  // "-> 2, acquired"
    // Where steps say what they touch.
    StepEffect effect = {};
    std::uint64_t bytes = 0;  // a fingerprint of all that went over the wire
    // Of programs. The call that begins with this step; what the one that ends with it is answered.
    std::optional<Operation> called = {};
    std::string answer = {};  // "acquired, count 2", "full", "released", "died", ...; empty: none
    // A signal, a wait or a sleep: of the script alone, and the program hears nothing of it.
    std::optional<Operation> alone = {};
    bool ended = false;  // the caller's process: killed, or by its script
};

// A step as a report has it: what is done, and what comes of it.
[[nodiscard]] std::string shown_step(const std::string& text, const std::string& result);

enum class Look : std::uint8_t {
    kSearching,   // nobody reads its steps
    kShown,       // its steps are kept
    kShownShort,  // the same, in fewer steps, where it may miss what needs to be asked for again
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
    // `tell`: of each of its steps that is kept.
    using TellStep = std::function<void(TraceStep&)>;
    void look(Look how, TellStep tell = nullptr);

    // After a step: "db=1  held by A1".
    [[nodiscard]] virtual std::string describe() = 0;
    // What everybody under way asks at this moment: "A1 read db, A2 -".
    [[nodiscard]] virtual std::string questions() = 0;
    // Who answers the callers, for reports.
    [[nodiscard]] virtual std::string_view servers() const = 0;
    // Virtual time since the beginning of the run, for reports.
    [[nodiscard]] virtual std::int32_t time_shown() const = 0;
    // To laws (model/law.hpp).
    [[nodiscard]] virtual ActionClass class_of(Action action) = 0;

    // What is compared where a run is repeated, and how it is said.
    [[nodiscard]] virtual std::size_t fingerprint() {
        return std::hash<std::string>{}(questions());
    }
    [[nodiscard]] virtual std::string seen() { return questions(); }
    // What came of the run, for tests of reductions.
    [[nodiscard]] virtual std::string outcome() { return ""; }

    [[nodiscard]] virtual bool knows_states() { return false; }
    [[nodiscard]] virtual std::string key() { return ""; }
    [[nodiscard]] virtual bool shows_effects() { return false; }
    // The run may come to its end without it; where steps say what they touch.
    [[nodiscard]] virtual bool is_optional(Action /*action*/) { return false; }
    // `right` goes on with what `left` was a step of.
    [[nodiscard]] virtual bool same_party(Action left, Action right) = 0;
    // Its party is in the middle of an operation and could go on.
    [[nodiscard]] virtual bool is_inside(Action /*action*/) { return true; }
    // A replay may take it: a clock may go on further at once than a search lets it.
    [[nodiscard]] virtual bool is_possible(Action action, const std::vector<Action>& enabled) {
        return contains(enabled, action);
    }
    // In the runs from now on at most so many faults and passages of time together, where the
    // source counts them.
    [[nodiscard]] virtual bool counts_faults() { return false; }
    virtual void allow_faults(std::uint32_t /*most*/) {}
    // A run since then could have had one more.
    [[nodiscard]] virtual bool ran_out_of_faults() { return false; }

    virtual void stop_by(const StopRule& rule) = 0;
    // After a run that ended in the middle: nobody is gone on with.
    virtual void give_up() = 0;
    // What is shown is run by processes that nobody has used, until this is taken back.
    virtual void use_fresh_processes(bool /*fresh*/) {}

    void note_deadlock() { ledger_.note(PropertyNumber::kDeadlock); }
    // The simplest first: what the others follow from.
    [[nodiscard]] const std::vector<const Property*>& violated() const {
        return ledger_.violated();
    }
    // What happened since the last time that somebody asked.
    [[nodiscard]] OutsideTally take_tally() { return ledger_.take_tally(); }
    // The calls and returns until now; not those of the look at the end.
    [[nodiscard]] JudgedCalls calls() const { return ledger_.calls(); }
    // Of the look at the end, by fresh clients and the clock: for reports, these actions cannot be
    // replayed.
    [[nodiscard]] const std::vector<TraceStep>& steps_of_look() const { return steps_of_look_; }
    [[nodiscard]] const OutsideWorld& world() const { return world_; }
    [[nodiscard]] const std::vector<Ledger::Entry>& entries() const { return ledger_.entries(); }
    void observe(Observation& out);

  protected:
    // What fresh clients of the look at the end are granted.
    struct Asked {
        std::int64_t granted = 0;  // less what came to an end while they waited
        bool is_cut = false;       // there were no more clients to ask
        bool is_unknown = false;   // an answer left open whether it was granted
        bool ends = false;         // what was granted may end by time
    };
    struct Asking {
        std::size_t first = 0;  // the number of the first client
        std::size_t most = 0;   // until one is refused, or so many are granted
        bool waits = false;  // for the clock, too; else who would have to wait is refused for now
    };
    struct LookedAt {
        Operation view;  // of an acquire
        Asked at_once;
    };
    [[nodiscard]] virtual Asked ask_fresh(const Operation& view, const Asking& asking,
                                          Look how) = 0;
    // Before any time passes: whether it says anything.
    [[nodiscard]] virtual bool asks_at_once(std::uint32_t /*capacity*/, std::uint32_t /*held*/) {
        return true;
    }
    // Time goes on, as far as anything has an end that is known.
    virtual void pass_ends(Look how) = 0;
    // Of a rate limiter: it goes on to this moment, which is later than now.
    virtual void pass_until(std::int64_t moment, Look how) = 0;
    // Of what was granted at once: places that have not come to an end since.
    [[nodiscard]] virtual std::size_t still_held(const LookedAt& key) = 0;
    // What nobody gets would not come back.
    [[nodiscard]] virtual bool is_lost_for_ever() { return true; }
    // Of views that follow resizes.
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

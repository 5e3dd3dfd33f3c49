// SPDX-License-Identifier: Apache-2.0

// One run of a program at the stepped level: callers with scripts, the state that the program
// shares with itself, faults, and the ledger of who believes to hold what. The searches of
// stepped_search.hpp drive it; it never chooses.
//
//   begin()                        a fresh run: the program is reset
//   enabled() -> one -> take(it)   until enabled() is empty; faults come last in it
//   finished(), probe()            at the end: what a fresh client gets
//
// One step is one access to shared state, with everything that the program then does by itself up
// to its next question. A call begins with its first step. The program's faults leave as
// Misbehaved; what breaks a promise is collected in violated().
// An operation may have several questions open; one of them is answered in each step.
// Actions: s<caller>, s<caller>.<question> (its place among those open, from 0), x<caller>,
// b<activity>.<sender> (of the message that a receive gets; else 0), t0.<time>, r. A caller's
// receive gets the oldest message. See model/schedule.hpp for the line. Limits: callers and keys as
// the model's; kOpenQuestionsMax of one operation; kPatienceTicks that the clock goes on beyond the
// budget while nobody can take a step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/action.hpp"
#include "model/action_class.hpp"
#include "model/property.hpp"
#include "model/world_config.hpp"
#include "scheduler/runner.hpp"
#include "validate/programs/ledger.hpp"
#include "validate/programs/outside_tally.hpp"
#include "validate/programs/shared_state.hpp"

namespace lockkeeper {

inline constexpr std::int64_t kPatienceTicks = 64;
inline constexpr std::uint64_t kProbeStepsMax = 10'000;
inline constexpr std::size_t kOpenQuestionsMax = 16;
// How far the clock goes on at the end of a run, for time limits to be over.
inline constexpr std::int64_t kFinalTicksMax = std::int64_t{1} << 32U;

// The clients of the final look: "probe", then "probe2" for what is asked for beside its grant. A
// re-entrant lock would grant it to the same one again.
inline constexpr const char* kProbeName = "probe";
[[nodiscard]] inline std::string probe_name(std::size_t grants) {
    return kProbeName + (grants == 0 ? "" : std::to_string(grants + 1));
}

// It can be judged from outside, at the stepped level.
[[nodiscard]] bool is_judged_outside(const Property& property);

class SteppedRun : private LedgerTime {
  public:
    struct Step {
        std::string text;    // "A1 acquire: read db"
        std::string result;  // "-> 2, acquired"
        // The call that begins with this step; what the one that ends with it is answered.
        std::optional<Operation> called;
        std::string answer;  // "acquired, count 2", "full", "released", "died", ...; empty: none
        // A signal, a wait or a sleep: of the script alone, and the program hears nothing of it.
        std::optional<Operation> alone;
        bool ended = false;  // the caller's process: killed, or by its script
    };

    // Both must outlive the run.
    SteppedRun(Program& program, const OutsideWorld& world);

    void begin();
    [[nodiscard]] std::vector<Action> enabled() const;
    Step take(Action action);
    // Every caller's script has ended, or the caller is dead, and nothing is under way.
    [[nodiscard]] bool finished() const;
    // No call is under way, and every activity waits.
    [[nodiscard]] bool at_rest() const;
    // Nobody can take a step, faults apart, and somebody is unfinished.
    [[nodiscard]] bool is_deadlock(const std::vector<Action>& enabled) const;
    void note_deadlock() { ledger_.note(PropertyNumber::kDeadlock); }
    // At rest only, and the last thing that a run can do: leaks and double releases. Where time
    // matters the clock goes on until a fresh client gets what is free.
    // The growing pauses find what needs to be asked for again and again; one pause reads better.
    enum class Pauses : std::uint8_t { kGrowing, kOne };
    void probe(Pauses pauses = Pauses::kGrowing);
    // Of that client, and of the clock: for reports, these actions cannot be replayed.
    [[nodiscard]] const std::vector<TraceStep>& probe_steps() const { return probe_steps_; }

    // The simplest first: what the others follow from.
    [[nodiscard]] const std::vector<const Property*>& violated() const {
        return ledger_.violated();
    }
    // What happened since the last time that somebody asked.
    [[nodiscard]] OutsideTally take_tally() { return ledger_.take_tally(); }
    // The calls and returns until now; not those of the look at the end.
    [[nodiscard]] JudgedCalls calls() const { return ledger_.calls(); }
    // "db=1  held by A1": after a step.
    [[nodiscard]] std::string describe() const;
    // What everybody under way asks at this moment: "A1 read db, A2 -".
    [[nodiscard]] std::string questions() const;
    // Equal keys, equal futures; only where the program is stateless.
    [[nodiscard]] std::string key() const;
    // Whether the party of this action is in the middle of an operation and could go on.
    [[nodiscard]] bool is_inside(Action action) const;
    [[nodiscard]] const OutsideWorld& world() const { return world_; }
    // To laws (model/law.hpp).
    [[nodiscard]] ActionClass class_of(Action action) const;

  private:
    // What one actor has under way.
    struct Activity {
        std::int64_t id = -1;            // msg_id of the operation; -1: none
        std::vector<Message> questions;  // open, the oldest first
        std::string answers;             // all that it was told since it began, or its own `local`
    };
    struct Caller : Account {
        Activity activity;
        std::optional<std::int64_t> wakes_at;
    };

    // stepped_run.cpp
    Step step_of_caller(std::size_t index, std::size_t place);
    [[nodiscard]] bool begin_call(std::size_t index, Step& step);
    Step step_of_activity(std::size_t index, std::uint8_t sender);
    void crash(std::size_t index);
    void add_steps(std::size_t activity, std::vector<Action>& out) const;
    [[nodiscard]] bool may_tick(bool somebody_can_step) const;
    [[nodiscard]] bool is_out_of_time() const;
    [[nodiscard]] bool somebody_sleeps() const;
    [[nodiscard]] bool all_done() const;

    // stepped_turn.cpp
    SharedState::Answer answer_question(Activity& activity, std::size_t place, std::size_t actor,
                                        std::optional<std::uint8_t> sender, std::string& text);
    [[nodiscard]] std::optional<Message> hear(Activity& activity, const std::string& name);
    void keep_question(Activity& activity, Message message);
    void note_time(const Message& message);
    [[nodiscard]] Message hear_commit(const Activity& activity);
    void hear_of_background(std::size_t index);
    [[nodiscard]] int client_number(const std::string& name) const;

    // stepped_script.cpp
    [[nodiscard]] bool can_begin(std::size_t index) const;
    std::string begin_operation(std::size_t index);

    // stepped_judge.cpp
    void refresh();
    [[nodiscard]] std::int64_t now() const override { return shared_.clock(); }
    [[nodiscard]] bool is_over(std::size_t caller, const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_left(std::size_t caller,
                                         const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_of(std::size_t caller) const;
    std::string end_operation(std::size_t index, const Message& answer);

    // stepped_probe.cpp
    enum class Probed : std::uint8_t { kAcquired, kRefused, kNobodyKnows };
    void probe_key(std::uint8_t key, const Operation& view, Pauses pauses);
    [[nodiscard]] bool probe_later(std::uint8_t key, const Operation& view, Pauses pauses);
    [[nodiscard]] std::uint32_t taken_count(std::uint8_t key, std::uint32_t capacity) const;
    [[nodiscard]] Probed probe_acquires(const Operation& view);
    void settle(std::uint64_t& steps);
    void note_probe_step(const Step& step, std::size_t actor);
    void pass_time(std::int64_t until);
    bool pass_time_limits(std::uint8_t key);

    Program& program_;
    const OutsideWorld& world_;
    SharedState shared_;
    Ledger ledger_;
    std::vector<Caller> callers_;
    std::vector<Activity> activities_;
    std::vector<std::uint32_t> signals_;
    std::size_t view_ = 0;
    std::uint32_t crashes_ = 0;
    bool uses_time_ = false;
    std::int64_t ends_of_dead_ = 0;  // of what they held: the last
    std::vector<TraceStep> probe_steps_;
    // What the final look got: until when, where that was said.
    std::vector<std::optional<std::int64_t>> probe_held_;
};

}  // namespace lockkeeper

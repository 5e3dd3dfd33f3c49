// SPDX-License-Identifier: Apache-2.0

// One run of a program at the stepped level: callers with scripts, their shared state, faults, and
// the ledger of who believes to hold what. The searches of outside/search.hpp drive the run, which
// never chooses.
//
//   begin()                        a fresh run: the program is reset
//   enabled() -> one -> take(it)   until enabled() is empty; faults come last in it
//   finished(), look()             at the end: what a fresh client gets
//
// One step is one access to shared state, with everything that the program then does by itself up
// to its next question. A call begins with its first step. A run throws Misbehaved at the program's
// faults and collects broken promises in violated().
// An operation may have several questions open; one of them is answered in each step.
// Actions: s<caller>, s<caller>.<question> (its place among those open, from 0), x<caller>,
// b<activity>.<sender> (of the message that a receive gets; else 0), t0.<time>, r. A caller's
// receive gets the oldest message. See model/schedule.hpp for the line. Limits: callers and keys as
// in models; kOpenQuestionsMax open questions of one operation. While nobody can take a step, the
// clock goes on for kPatienceTicks beyond the budget.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/action.hpp"
#include "model/property.hpp"
#include "model/world_config.hpp"
#include "validate/outside/search.hpp"
#include "validate/outside/source.hpp"
#include "validate/programs/calls.hpp"
#include "validate/programs/shared_state.hpp"

namespace lockkeeper {

inline constexpr std::int64_t kPatienceTicks = 64;
inline constexpr std::size_t kOpenQuestionsMax = 16;
// The furthest that the clock goes on at the end of a run, to let time limits end.
inline constexpr std::int64_t kFinalTicksMax = std::int64_t{1} << 32U;

// The property can be judged from outside, at the stepped level.
[[nodiscard]] bool is_judged_outside(const Property& property);

class SteppedRun final : public Source {
  public:
    using Step = OutsideStep;

    // Both must outlive the run.
    SteppedRun(Program& program, const OutsideWorld& world);

    void begin() override;
    [[nodiscard]] std::vector<Action> enabled() override;
    Step take(Action action) override;
    [[nodiscard]] bool finished() override;
    // No call is under way, and every activity waits.
    [[nodiscard]] bool at_rest() override;
    [[nodiscard]] bool is_deadlock(const std::vector<Action>& enabled) override;

    [[nodiscard]] std::string describe() override;
    [[nodiscard]] std::string questions() override;
    [[nodiscard]] std::string seen() override { return questions() + ", " + describe(); }
    [[nodiscard]] std::size_t fingerprint() override { return std::hash<std::string>{}(key()); }
    [[nodiscard]] bool knows_states() override { return program_.is_stateless(); }
    [[nodiscard]] std::string key() override;
    [[nodiscard]] bool same_party(Action left, Action right) override {
        return left.kind == right.kind && left.actor == right.actor;
    }
    [[nodiscard]] bool is_inside(Action action) override;
    [[nodiscard]] bool is_possible(Action action, const std::vector<Action>& enabled) override;
    [[nodiscard]] ActionClass class_of(Action action) override;
    [[nodiscard]] std::string_view servers() const override { return "program"; }
    [[nodiscard]] std::int32_t time_shown() const override;
    void stop_by(const StopRule& rule) override { program_.stop_by(rule); }
    void give_up() override { program_.kill(); }

  private:
    // The operation that one actor has under way.
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

    // stepped_script.cpp, answers
    void refresh();
    [[nodiscard]] std::int64_t now() const override { return shared_.clock(); }
    [[nodiscard]] bool is_over(std::size_t caller, const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_left(std::size_t caller,
                                         const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_of(std::size_t caller) const;
    // A program with activities of its own may do later what they are sent.
    [[nodiscard]] bool effects_end() const override { return is_calls_alone_; }
    CallEnd end_operation(std::size_t index, const Message& answer);

    // stepped_probe.cpp
    enum class Probed : std::uint8_t { kAcquired, kRefused, kNobodyKnows };
    [[nodiscard]] Asked ask_fresh(const Operation& view, const Asking& asking, Look how) override;
    void pass_ends(Look how) override;
    void pass_until(std::int64_t moment, Look /*how*/) override { pass_time(moment); }
    [[nodiscard]] std::size_t still_held(const LookedAt& key) override;
    [[nodiscard]] std::uint16_t places_now() override { return world_.world.views[view_]; }
    [[nodiscard]] Probed probe_acquires(const Operation& view);
    void settle(std::uint64_t& steps);
    void note_probe_step(const Step& step, std::size_t actor);
    void pass_time(std::int64_t until);

    Program& program_;
    SharedState shared_;
    std::vector<Caller> callers_;
    std::vector<Activity> activities_;
    std::vector<std::uint32_t> signals_;
    std::size_t view_ = 0;
    std::uint32_t crashes_ = 0;
    bool uses_time_ = false;
    bool is_calls_alone_ = false;    // the program has no activities of its own
    std::int64_t ends_of_dead_ = 0;  // the last end of what the dead held
    // The grants to the final look, by key.
    struct Got {
        std::vector<std::optional<std::int64_t>> until;  // of each grant, where that was said
        std::optional<std::int64_t> refused_at = {};     // the clock then
    };
    std::map<std::uint8_t, Got> got_;
};

// A search of a program that owns the run it drives.
class SteppedSearch : private OwnRun<SteppedRun>, public OutsideSearch {
  public:
    SteppedSearch(Program& program, const OutsideWorld& world, OutsideOptions options)
        : OwnRun(program, world), OutsideSearch(run, std::move(options)) {}
};

}  // namespace lockkeeper

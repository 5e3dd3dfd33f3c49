// SPDX-License-Identifier: Apache-2.0

// One run of a lock whose callers are tasks of one event loop, in one process: `--tasks`. The
// program's loop (lockkeeper_tasks.py, lockkeeper_tasks.js) says after each of its turns what may
// happen next, and does what the search chooses. docs/reference/protocol.md has the messages.
//
// A turn: the answers of the calls that ended in it, then one line "choices", which replaces the
// choices before. The program takes a turn after `reset`, after each call that begins, and after
// each choice. Between two turns it does nothing: no threads, no real sockets, no real time.
// Actions:
//   s<caller>       its next call is ready to begin, behind all that is ready
//   s<caller>.1     its next call begins at once, within the step that has ended its last call
//   b0.<id>         a callback runs that is ready
//   b1.<id>         something from outside arrives, as the reply of a stand-in connection
//   t0.<id>         virtual time goes on to this timer, which fires; `ticks` limits those that
//                   fire while somebody could go on, as with other programs; those whose moment
//                   has come are always offered
//   f<caller>.0     the caller's call under way is cancelled: at most `cancels` in a run, not
//                   counting those that came before the call had begun or when it had ended
//   d0.<id>         something from outside fails: at most `failures` in a run
// The state of a loop cannot be compared; few callbacks that something from outside overtakes come
// first. Callers of one process do not crash, and do not sleep.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validate/outside/search.hpp"
#include "validate/outside/source.hpp"
#include "validate/programs/calls.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

// The timers that may fire while nobody can go on without them, or whose moment has come;
// and for each client of the look at the end.
inline constexpr std::int64_t kFreeTimersMax = 64;
inline constexpr std::int64_t kTimersOfLookMax = 16;

class TasksRun final : public Source {
  public:
    using Step = OutsideStep;

    // Both must outlive the run.
    TasksRun(Program& program, const OutsideWorld& world) : Source(world), program_(program) {}

    void begin() override;
    [[nodiscard]] std::vector<Action> enabled() override;
    Step take(Action action) override;
    [[nodiscard]] bool finished() override;
    [[nodiscard]] bool at_rest() override;
    [[nodiscard]] bool is_deadlock(const std::vector<Action>& enabled) override;

    [[nodiscard]] std::string describe() override;
    [[nodiscard]] std::string questions() override;
    [[nodiscard]] std::string_view servers() const override { return "loop"; }
    [[nodiscard]] std::int32_t time_shown() const override;
    [[nodiscard]] ActionClass class_of(Action action) override;
    // The loop runs what is ready: a step that lets it go on interrupts nobody.
    [[nodiscard]] bool same_party(Action /*left*/, Action right) override {
        return right.kind == ActionKind::kBackground
                   ? right.actor == 0
                   : right.kind == ActionKind::kStep && right.argument == kAtOnce;
    }
    [[nodiscard]] bool is_inside(Action /*action*/) override { return has(ChoiceKind::kRun); }
    void stop_by(const StopRule& rule) override { program_.stop_by(rule); }
    [[nodiscard]] bool has_shorter_twin() override { return !choices_.missed.empty(); }
    void give_up() override { program_.kill(); }

  private:
    struct Caller : Account {
        std::int64_t id = -1;            // msg_id of the call under way; -1: none
        std::uint32_t cancels_open = 0;  // chosen, and not known to have hit or missed
    };

    static constexpr std::uint16_t kAtOnce = 1;

    // tasks_run.cpp
    [[nodiscard]] bool has(ChoiceKind kind) const;
    [[nodiscard]] bool may_begin(std::size_t index, bool at_once) const;
    [[nodiscard]] bool all_done() const;
    void add_choices(std::vector<Action>& out) const;
    [[nodiscard]] std::vector<Action> ready_to_go_on() const;
    void add_timers(std::vector<Action>& out) const;
    void add_faults(std::vector<Action>& out) const;
    Step begin_call(std::size_t index, bool at_once);

    // tasks_turn.cpp
    [[nodiscard]] const Choice& choice_of(Action action) const;
    void say(const Choice& choice);
    [[nodiscard]] std::string hear(std::optional<Message>* answer_of_look = nullptr);
    void keep_choices(Message message);
    void take_back_cancel(const std::string& client);
    std::string end_operation(std::size_t index, const Message& answer);
    [[nodiscard]] static std::string why_of(const Message& answer);  // " (timed out)"
    [[nodiscard]] std::int64_t now() const override { return choices_.loop_time; }
    [[nodiscard]] bool is_over(std::size_t caller, const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_left(std::size_t caller,
                                         const BelievedHolding& holding) const override;

    // tasks_look.cpp
    enum class Probed : std::uint8_t { kAcquired, kRefused, kNobodyKnows };
    void settle();
    [[nodiscard]] Probed probe(const Operation& view);
    [[nodiscard]] std::optional<Action> next_in_look(std::int64_t& timers) const;
    [[nodiscard]] Asked ask_fresh(const Operation& view, const Asking& asking, Look how) override;
    void pass_ends(Look /*how*/) override {}
    void pass_until(std::int64_t /*moment*/, Look /*how*/) override {}
    [[nodiscard]] std::size_t still_held(const LookedAt& key) override;
    [[nodiscard]] std::uint16_t places_now() override { return world_.world.views[0]; }

    Program& program_;
    Message choices_;  // the newest
    std::vector<Caller> callers_;
    std::vector<std::uint32_t> signals_;
    std::int64_t early_timers_ = 0;  // time went on although somebody could go on
    std::int64_t free_timers_ = 0;   // the others that have fired
    std::uint32_t cancels_ = 0;
    std::uint32_t failures_ = 0;
    std::int64_t asked_by_look_ = -1;  // msg_id of the call of the look at the end
    // The grants of the look at the end, by key.
    struct Got {
        std::size_t grants = 0;
        bool was_refused = false;
    };
    std::map<std::uint8_t, Got> got_;
};

// A search of a program of tasks that owns the run it drives.
class TasksSearch : private OwnRun<TasksRun>, public OutsideSearch {
  public:
    TasksSearch(Program& program, const OutsideWorld& world, OutsideOptions options)
        : OwnRun(program, world), OutsideSearch(run, std::move(options)) {}
};

}  // namespace lockkeeper

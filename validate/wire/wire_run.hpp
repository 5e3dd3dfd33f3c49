// SPDX-License-Identifier: Apache-2.0

// One run of unmodified clients at the wire: callers with scripts, what waits to go on, faults, and
// the ledger of who believes to hold what. The search drives it; it never chooses.
//
//   begin()                        a fresh run
//   enabled() -> one -> take(it)   until enabled() is empty; faults come last in it
//   finished(), look()             at the end: what fresh clients get, at once and an hour later
//
// Actions, where c is the number of a connection of the caller, in the order of opening:
//   s<caller>.0       the caller's next operation is called, and runs until the caller is at rest
//   s<caller>.<1+2c>  the oldest request of c goes on to the server and is executed; its reply goes
//                     on, too, unless replies are steps of their own (WireScope::splits)
//   s<caller>.<2+2c>  the replies of c go on, up to the next push, or the push that is before them
//   b<caller>.0       the clock goes on to the end of the caller's next wait, which ends
//   b<caller>.<1+c>   the same for what the server does for c: its next time-out ends
//   b<server>.4096    the replica receives the next change of the primary's
//   t0.<n>            the clock goes on to the next end of a lock, the n-th of this run
//   t0.<32768+n>      half of the way there, where the server does not say when its locks end; and
//                     of a rate limiter, whose windows end as locks do
//   t0.<16384+n>      of a rate limiter: there, but for two milliseconds
//   x<caller>         the caller's process is killed, and what it had under way is lost, unless
//                     requests may be executed late (WireScope::late_max)
//   d<caller>.65535   a killed caller starts again
//   d<server>.1       the server fails over to a replica that the last write has not reached; all
//                     connections are lost
//   d<server>.2       the server restarts: it keeps what it stores, but scripts, sessions and all
//                     connections are lost
//   d<server>.3       the server fails over to an empty one; scripts and connections are lost
//   d<server>.4       the server crashes: all connections are lost, and nobody can connect
//   d<server>.5       it starts again with what it stored; scripts are lost
//   d<server>.6       it starts again empty: as a fail-over
//   d<server>.10      its wall clock jumps forward; 11: back
//   d<caller>.<256+n> the caller no longer reaches server n: its connections are lost
//   d<caller>.<272+n> it reaches it again
//   d<caller>.<16+c>  the server executes what the caller had sent on c before it was killed, or
//                     before c was lost: its oldest request
//   d<caller>.8       the caller's wall clock jumps forward
//   d<caller>.9       the caller's wall clock jumps back
//   f<caller>.<1+2c>  c is lost before its oldest request is executed
//   f<caller>.<2+2c>  c is lost after it, and the reply with it, and all that is under way to the
//                     caller
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/action.hpp"
#include "model/action_class.hpp"
#include "scheduler/runner.hpp"
#include "validate/outside/ledger.hpp"
#include "validate/outside/outside_world.hpp"
#include "validate/outside/script_place.hpp"
#include "validate/outside/tally.hpp"
#include "validate/programs/stepped_run.hpp"
#include "validate/wire/wire.hpp"
#include "validate/wire/wire_choices.hpp"

namespace lockkeeper::wire {

// Arguments of disturbances.
inline constexpr std::uint16_t kFailOver = 1;
inline constexpr std::uint16_t kServerRestart = 2;
inline constexpr std::uint16_t kFailOverToEmpty = 3;
inline constexpr std::uint16_t kServerCrash = 4;
inline constexpr std::uint16_t kServerStarts = 5;
inline constexpr std::uint16_t kServerStartsEmpty = 6;
inline constexpr std::uint16_t kJumpForward = 8;
inline constexpr std::uint16_t kJumpBack = 9;
inline constexpr std::uint16_t kServerJumpForward = 10;
inline constexpr std::uint16_t kServerJumpBack = 11;
inline constexpr std::uint16_t kLateFirst = 16;
inline constexpr std::uint16_t kCutFirst = 256;
inline constexpr std::uint16_t kReachFirst = 272;
inline constexpr std::uint16_t kReceives = 4'096;     // of kBackground
inline constexpr std::uint16_t kHalfWay = 32'768;     // of kTime
inline constexpr std::uint16_t kJustBefore = 16'384;  // the same
[[nodiscard]] constexpr bool is_late(Action action) {
    return action.kind == ActionKind::kDisturb && action.argument >= kLateFirst &&
           action.argument < kCutFirst;
}
[[nodiscard]] constexpr bool is_cut(Action action) {
    return action.kind == ActionKind::kDisturb && action.argument >= kCutFirst &&
           action.argument < kReachFirst;
}
[[nodiscard]] constexpr bool is_reach(Action action) {
    return action.kind == ActionKind::kDisturb && action.argument >= kReachFirst &&
           !is_restart(action);
}
// Ends a fault, and is not counted as one.
[[nodiscard]] constexpr bool is_mending(Action action) {
    return is_reach(action) ||
           (action.kind == ActionKind::kDisturb && action.argument == kServerStarts);
}
// The caller of a step that a fault of a server makes (StepEffect::caller).
inline constexpr std::uint8_t kNobody = UINT8_MAX;
inline constexpr std::uint64_t kProbeStepsMax = 2'000;
// Later than the harness's clock ever is: the caller has a clock of its own.
inline constexpr std::int64_t kEndOnRealTime = INT64_MAX / 2;
inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::int64_t kJustBeforeIt = 2 * kMillisecond;
inline constexpr std::int64_t kProbeAfter = 3'600'000'000'000;  // an hour

// Settings of a caller.
inline constexpr const char* kClockSetting = "clock";      // its wall clock is ahead: milliseconds
inline constexpr const char* kDriftSetting = "drift";      // its clocks are too fast: millionths
inline constexpr const char* kJumpSetting = "jump";        // of its wall clock: milliseconds
inline constexpr std::int32_t kJumpMilliseconds = 60'000;  // where it does not say: either way

// Faults, beside the crashes and restarts of the world.
struct WireScope {
    std::uint32_t drops_max = 0;
    std::uint32_t expiries_max = 0;
    std::uint32_t wakes_max = 8;
    std::uint32_t failovers_max = 0;
    std::uint32_t server_restarts_max = 0;
    std::uint32_t late_max = 0;  // requests of killed callers and lost connections
    std::uint32_t jumps_max = 0;
    std::uint32_t server_crashes_max = 0;
    std::uint32_t cuts_max = 0;
    std::uint32_t server_jumps_max = 0;
    bool splits = false;  // requests and replies are steps apart
};

// "1 lost connection, 1 expiry", for reports.
[[nodiscard]] std::string faults_text(const WireScope& scope, const WorldConfig& world);

// It can be judged here.
[[nodiscard]] bool is_judged_at_wire(const Property& property);

// The keys that one server stores.
[[nodiscard]] std::vector<KeyState> keys_of_server(const std::vector<KeyState>& keys,
                                                   std::size_t number);

// For people, to the millisecond: "9.999 s".
[[nodiscard]] std::string shown_seconds(std::int64_t nanoseconds);

// All that are held at once: the callers, and those of the look at the end.
[[nodiscard]] std::size_t clients_of(const WorldConfig& world);

class WireRun final : public Source {
  public:
    using Step = OutsideStep;

    // All must outlive the run.
    WireRun(Wire& wire, const OutsideWorld& world, const WireScope& scope);

    // The first one of all runs every operation once before, so that the server knows the scripts.
    void begin() override;
    [[nodiscard]] std::vector<Action> enabled() override;
    Step take(Action action) override;
    [[nodiscard]] bool finished() override;
    [[nodiscard]] bool at_rest() override;
    [[nodiscard]] bool is_deadlock(const std::vector<Action>& enabled) override;

    // "db=1 for 10 s  held by A1".
    [[nodiscard]] std::string describe() override;
    [[nodiscard]] std::string questions() override;
    // The answers to the callers and the state of the server: equal for runs that differ only in
    // the order of commuting steps.
    [[nodiscard]] std::string outcome() override;
    [[nodiscard]] bool shows_effects() override { return true; }
    // All but what a caller does of a call.
    [[nodiscard]] bool is_optional(Action action) override {
        return action.kind != ActionKind::kStep ||
               (action.argument > 0 && !callers_[action.actor].calling);
    }
    [[nodiscard]] bool same_party(Action left, Action right) override {
        return is_step(right) && left.actor == right.actor;
    }
    [[nodiscard]] ActionClass class_of(Action action) override;
    [[nodiscard]] std::string_view servers() const override { return "wire"; }
    [[nodiscard]] std::int32_t time_shown() const override;
    [[nodiscard]] bool counts_faults() override { return true; }
    void allow_faults(std::uint32_t most) override {
        faults_max_ = most;
        missed_faults_ = false;
    }
    [[nodiscard]] bool ran_out_of_faults() override { return missed_faults_; }
    void stop_by(const StopRule& rule) override { wire_.stop_by(rule); }
    void give_up() override;
    void use_fresh_processes(bool fresh) override;
    [[nodiscard]] bool keep_nobody(const std::string& difference) override {
        return wire_.keep_nobody(difference);
    }

  private:
    struct Caller : Account {
        std::int64_t called_at = 0;
        std::int64_t wall_at_call = 0;      // what its own wall clock showed then
        std::optional<std::int64_t> lease;  // how long the keys live that the call has written
        std::optional<std::int64_t> touched_lease;  // or that it could have written
        bool lost_connection = false;  // in the call under way: a request or its answer
        std::uint64_t incarnation = 0;
        std::size_t lived = 0;  // a fingerprint of all that has happened to it in this run
        std::string answers;    // all of them
    };

    // wire_run.cpp
    void add_steps(std::size_t index, std::vector<Action>& out);
    void add_faults(std::size_t index, std::vector<Action>& out);
    void add_wakes(std::vector<Action>& out);
    // wire_idle_wakes.cpp
    [[nodiscard]] std::vector<Sleeper> sleepers(std::size_t index);
    void learn_wake(std::size_t index);
    void note_lived(Action action, const Step& step);
    void run_again();
    // wire_clocks.cpp
    struct TimedWait {
        Sleeper sleeper;
        std::uint16_t argument = 0;  // of the action that ends it
    };
    [[nodiscard]] std::vector<TimedWait> timed_waits(std::size_t index);
    void wake_server(std::size_t index, std::size_t number, Step& step);
    [[nodiscard]] std::optional<std::int64_t> next_stop() const;
    void add_time(std::vector<Action>& out);
    void add_jumps(std::size_t index, std::vector<Action>& out);
    [[nodiscard]] bool has_something_under_way(std::size_t index);
    [[nodiscard]] bool comes_to_rest(std::size_t index);  // wire_rest.cpp
    [[nodiscard]] Connection* open_connection(std::size_t index);
    // It has nothing to do any more, and nothing of it is under way.
    [[nodiscard]] bool is_done(std::size_t index) const;
    // Called, or a request of it is under way.
    [[nodiscard]] bool is_busy(std::size_t index) const;
    [[nodiscard]] std::optional<std::int64_t> next_end() const;

    // wire_real_time.cpp
    [[nodiscard]] bool can_pass_time();
    [[nodiscard]] bool waits_for_ever();
    [[nodiscard]] bool is_lost_for_ever() override;
    void remark_real_time();
    void remark_what_is_left();

    // wire_steps.cpp
    void step_of_caller(std::size_t index, std::size_t argument, Step& step);
    void call(std::size_t index, Step& step);
    void execute(std::size_t index, Connection& connection, Step& step);
    struct StoredBefore {
        std::vector<KeyState> keys;
        std::uint64_t writes = 0;
    };
    void learn_lease(Caller& caller, const KeyFootprint& footprint, std::size_t server,
                     const StoredBefore& before) const;
    void drop(std::size_t index, std::size_t argument, Step& step);
    void crash(std::size_t index, Step& step);
    void restart(std::size_t index, Step& step);
    void pass_time(std::uint16_t argument, Step& step);
    void execute_late(std::size_t index, std::size_t number, Step& step);
    void jump(std::size_t index, bool is_forward, Step& step);  // wire_clocks.cpp
    void disturb(Action action, Step& step);
    void note_sleep(std::int64_t left);
    void wake(std::size_t index, Step& step);
    void look_at_answer(std::size_t index, Step& step);
    void look_at_keys(StepEffect& effect);
    [[nodiscard]] Connection& connection_of(std::size_t index, std::size_t argument);
    [[nodiscard]] std::string name_of_caller(std::size_t index) const;

    // wire_servers.cpp
    void add_faults_of_server(std::vector<Action>& out);
    void add_cuts(std::vector<Action>& out) const;
    void disturb_server(std::size_t number, std::uint16_t argument, Step& step);
    void fail_over(std::size_t number, bool to_empty, Step& step);
    void restart_server(std::size_t number, Step& step);
    void lose_server(std::size_t number, Step& step);
    void crash_server(std::size_t number, Step& step);
    void start_server(std::size_t number, bool is_empty, Step& step);
    void jump_server(std::size_t number, bool is_forward, Step& step);
    void cut_off(std::size_t index, std::size_t server, Step& step);
    void reach_again(std::size_t index, std::size_t server, Step& step);
    void cut(const std::vector<std::size_t>& callers, std::size_t server, Step& step,
             const std::function<void()>& lose);
    [[nodiscard]] std::vector<std::size_t> every_caller() const;
    static void write_reaches(const std::vector<std::size_t>& callers, std::size_t server,
                              Step& step);
    void mend(Look how);
    // wire_replicas.cpp
    [[nodiscard]] std::size_t first_replica() const;
    void forget_received();
    void send_to_replicas(StepEffect& effect);
    void add_receipts(std::vector<Action>& out);
    void receive(std::size_t number, Step& step);
    [[nodiscard]] std::vector<KeyState> left_by_failover(std::size_t number);
    [[nodiscard]] bool can_fail_over(std::size_t number) const;
    void refuse_with_replicas(const WireRequest& request, std::size_t server) const;
    [[nodiscard]] std::string name_of_server(std::size_t number) const;
    [[nodiscard]] std::string at_server(std::size_t number) const;

    // wire_judge.cpp
    void refresh() {
        ledger_.refresh([](std::size_t) { return false; });
    }
    [[nodiscard]] std::int64_t now() const override { return wire_.now(); }
    [[nodiscard]] bool is_over(std::size_t caller, const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_left(std::size_t caller,
                                         const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t end_of(std::size_t caller, const BelievedHolding& holding) const;
    [[nodiscard]] bool is_held() const override { return !is_on_real_time(); }
    [[nodiscard]] bool effects_end() const override { return scope_.late_max == 0; }
    void begin_again_with_keys();  // wire_rest.cpp
    void give_end(std::size_t index, const ClientAnswer& answer, Told& told) const;
    [[nodiscard]] Told::OwnGrant own_grant(std::size_t index) const;
    [[nodiscard]] Told told_by(std::size_t index, const ClientAnswer& answer);
    std::string lose_by_itself(std::size_t index, const std::string& line, StepEffect& effect);
    std::string end_operation(std::size_t index, const ClientAnswer& answer, StepEffect& effect);

    // wire_probe.cpp
    void warm_up();
    void prepare(std::size_t probe);
    void come_to_rest_prepared(std::size_t probe);
    [[nodiscard]] bool probe_acquires(std::uint8_t key, std::size_t number, bool waits,
                                      bool describes);
    [[nodiscard]] Asked ask_fresh(const Operation& view, const Asking& asking, Look how) override;
    [[nodiscard]] bool asks_at_once(std::uint32_t capacity, std::uint32_t held) override;
    void pass_ends(Look how) override;
    void pass_until(std::int64_t moment, Look how) override;
    [[nodiscard]] std::size_t still_held(const LookedAt& key) override {
        return key.at_once.ends ? 0 : static_cast<std::size_t>(key.at_once.granted);
    }
    [[nodiscard]] bool is_on_real_time() const;
    void look_at_own_leases();
    [[nodiscard]] std::optional<std::string> at_once(std::size_t probe, const std::string& line);

    Wire& wire_;
    WireScope scope_;
    bool is_warm_ = false;
    std::vector<Caller> callers_;
    std::vector<std::uint32_t> signals_;
    std::vector<KeyState> keys_;
    std::vector<std::vector<KeyState>> keys_before_;  // by server: the last change of them
    // By server: what the first one has stored since, and a replica has not received.
    struct Change {
        std::size_t number = 0;
        std::vector<KeyState> keys;
    };
    std::vector<std::deque<Change>> on_their_way_;
    std::size_t changes_ = 0;  // sent in this run
    // Time may pass by the scope, and what the keys show matters.
    bool is_timed_ = false;
    // And where it can pass because somebody sleeps: their ends matter from then on.
    bool keeps_keys_ = false;
    bool sees_sleep_ = false;  // in any run
    bool has_slept_ = false;
    std::vector<Action> taken_;
    // By what has happened to a caller until then, and when its loop would wake: when it first
    // wakes to do something; nothing: never.
    std::map<std::pair<std::size_t, std::int64_t>, std::optional<std::int64_t>> wakes_of_loops_;
    unsigned unlike_ = 0;  // how often a repeated beginning was another one
    OutsideTally tally_before_;
    std::optional<std::vector<KeyState>> stored_;  // asked for once between two steps
    std::uint32_t crashes_ = 0;
    std::uint32_t restarts_ = 0;
    std::uint32_t drops_ = 0;
    std::uint32_t expiries_ = 0;
    std::uint32_t wakes_ = 0;
    std::uint32_t failovers_ = 0;
    std::uint32_t server_restarts_ = 0;
    std::uint32_t late_ = 0;
    std::uint32_t jumps_ = 0;
    std::uint32_t server_crashes_ = 0;
    std::uint32_t cuts_ = 0;
    std::uint32_t server_jumps_ = 0;
    std::uint32_t faults_max_ = UINT32_MAX;
    bool missed_faults_ = false;
    std::string first_error_;  // what the first acquire of all said, alone on an empty server
    std::map<std::string, Asked> probed_;  // by what was asked for and what the server stores
    bool probe_errs_ = false;              // the last answer to one was an error
    bool probe_ends_ = false;              // a probe was told of an end
};

// A search of clients at the wire, with the run that it drives.
class WireSearch : private OwnRun<WireRun>, public OutsideSearch {
  public:
    WireSearch(Wire& wire, const OutsideWorld& world, const WireScope& scope,
               OutsideOptions options)
        : OwnRun(wire, world, scope), OutsideSearch(run, std::move(options)) {}
};

}  // namespace lockkeeper::wire

// SPDX-License-Identifier: Apache-2.0

// A model as outside code: the search and the ledger of validate/outside drive it as they drive
// programs. This is a naive twin of `explore`: it knows only the possible actions of a model, and
// what a caller can tell of a step (a call, an answer, a death, a loss).
//
// A grant of a system with its own record says that it may end. Callers of models learn of the end
// by a loss, never by their clocks. Grants tell no token, because no event has one.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/erased_system.hpp"
#include "validate/outside/search.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper::table {

// The world as the ledger reads scripts: another call that gives a lock up is a release.
inline WorldConfig told_world(WorldConfig world) {
    for (CallerConfig& caller : world.callers) {
        for (Operation& operation : caller.script) {
            const bool is_call = operation.verb == Verb::kCall;
            operation.unchecked = operation.unchecked || (is_call && !operation.needs_lock);
            operation.verb = is_call && operation.gives_up ? Verb::kRelease : operation.verb;
        }
    }
    return world;
}

class ModelSource final : public Source {
  public:
    // `features`: what the model shows. The world must outlive the source.
    ModelSource(ErasedSystem system, std::uint32_t features, const OutsideWorld& world)
        : Source(world, Histories::kElsewhere),
          system_(std::move(system)),
          has_record_((features & kShowsGrants) != 0 && (features & kHasCapacity) == 0) {}

    void begin() override {
        state_ = system_.initial();
        accounts_.assign(world_.world.callers.size(), {});
        ledger_.begin(accounts_of(accounts_));
        view_ = 0;
        steps_of_look_.clear();
        refresh();
    }
    std::vector<Action> enabled() override {
        ActionList list;
        system_.enabled(state_, list);
        std::vector<Action> out(list.begin(), list.end());
        std::stable_partition(out.begin(), out.end(),
                              [](Action action) { return !is_fault(action); });
        return out;
    }
    OutsideStep take(Action action) override {
        OutsideStep step;
        step.text = system_.describe(state_, action);
        ledger_.step();
        const Event event = system_.apply(state_, action);
        view_ += event.is(kResized) ? 1U : 0U;
        tell(action, event);
        refresh();
        compare();
        broken_.insert(violated().begin(), violated().end());
        return step;
    }
    bool finished() override { return system_.quiescent(state_) && system_.finished(state_); }
    bool at_rest() override { return system_.quiescent(state_); }
    bool is_deadlock(const std::vector<Action>& enabled) override {
        return std::all_of(enabled.begin(), enabled.end(), is_fault) && !system_.finished(state_) &&
               !system_.time_is_over(state_);
    }
    std::string describe() override { return system_.show(state_); }
    std::string questions() override { return ""; }
    std::string_view servers() const override { return "model"; }
    std::int32_t time_shown() const override { return 0; }
    ActionClass class_of(Action action) override { return system_.class_of(state_, action); }
    std::size_t fingerprint() override { return std::hash<std::string>{}(key()); }
    std::string seen() override { return describe(); }
    bool knows_states() override { return true; }
    std::string key() override {
        std::string out(reinterpret_cast<const char*>(state_.bytes.data()), system_.used_bytes());
        ledger_.write_key(out);
        return out;
    }
    bool same_party(Action left, Action right) override {
        return left.kind == right.kind && left.actor == right.actor;
    }
    void stop_by(const StopRule& /*rule*/) override {}
    void give_up() override {}

    // The properties broken by any step until now.
    [[nodiscard]] const std::set<const Property*>& broken() const { return broken_; }
    // The first state in which ledger and model differ about a caller; empty: there is none.
    [[nodiscard]] const std::string& difference() const { return difference_; }

  private:
    [[nodiscard]] std::int64_t now() const override { return 0; }
    [[nodiscard]] bool is_over(std::size_t, const BelievedHolding&) const override { return false; }
    [[nodiscard]] std::int64_t time_left(std::size_t, const BelievedHolding&) const override {
        return 1;
    }
    // The model has no clients but its callers.
    [[nodiscard]] Asked ask_fresh(const Operation&, const Asking&, Look) override {
        return {.is_cut = true};
    }
    void pass_ends(Look) override {}
    void pass_until(std::int64_t, Look) override {}
    [[nodiscard]] std::size_t still_held(const LookedAt&) override { return 0; }

    void refresh() {
        ledger_.refresh([](std::size_t) { return false; });
    }

    void tell(Action action, const Event& event) {
        if (action.kind == ActionKind::kTime || action.kind == ActionKind::kResize) {
            ledger_.saw(action.kind == ActionKind::kTime ? kTimePassed : kResized);
        }
        if (is_restart(action)) {
            accounts_[action.actor] = {};
        } else if (event.caller < accounts_.size()) {
            tell_of_caller(event.caller, event);
        }
    }
    void tell_of_caller(std::size_t caller, const Event& event) {
        Account& account = accounts_[caller];
        const CallerConfig& config = world_.world.callers[caller];
        const bool is_alone = !account.calling && !account.dead && !account.done &&
                              (account.upcoming(config).uses_signal() ||
                               account.upcoming(config).verb == Verb::kSleep);
        if (event.is(kCrashed)) {
            ledger_.crash(caller);
            return;
        }
        if (is_alone && (event.passed_signal() || event.is(kInvoked) || event.is(kDone))) {
            account.advance(config, event.passed_signal() || event.is(kDone) ? 1 : 0);
            return;
        }
        if (event.is(kInvoked)) {
            const std::uint16_t view = world_.world.views[view_];
            ledger_.call(caller, account.resolved(account.upcoming(config), view));
        }
        if (event.is(kCallerDied)) {
            ledger_.note(PropertyNumber::kCallerDeath);
            ledger_.crash(caller);
            return;
        }
        if (account.calling &&
            (event.what & (kAcquired | kRefused | kReleased | kDone | kFailed))) {
            static_cast<void>(ledger_.answer(caller, told(account.operation, event)));
        }
        if (event.is(kLost)) {
            while (ledger_.lost(caller, event.key)) {
            }
        }
    }
    [[nodiscard]] Told told(const Operation& operation, const Event& event) const {
        const bool is_lost = event.is(kLost) && operation.verb != Verb::kAcquire;
        Told told;
        told.kind = is_lost              ? Told::Kind::kLost
                    : event.is(kRefused) ? Told::Kind::kRefused
                    // Models do not say whether a failed call has, or will have, an effect.
                    : event.is(kFailed) ? Told::Kind::kUnknown
                                        : Told::Kind::kOk;
        if (event.is(kAcquired) && has_record_) {
            told.until = INT64_MAX;
        }
        return told;
    }

    void compare() {
        Observation ours;
        Observation theirs;
        ledger_.observe(ours);
        system_.observe(state_, theirs);
        for (std::size_t i = 0; i < accounts_.size() && difference_.empty(); ++i) {
            const CallerObservation& our = ours.callers[i];
            const CallerObservation& their = theirs.callers[i];
            if (our.believed != their.believed || our.dead != their.dead ||
                (!our.dead && our.finished != their.finished)) {
                difference_ = world_.world.callers[i].name + ": " + describe();
            }
        }
    }

    ErasedSystem system_;
    bool has_record_;
    ErasedSystem::State state_{};
    std::vector<Account> accounts_;
    std::size_t view_ = 0;
    std::set<const Property*> broken_;
    std::string difference_;
};

}  // namespace lockkeeper::table

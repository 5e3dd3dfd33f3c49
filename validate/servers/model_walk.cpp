// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/model_walk.hpp"

#include <algorithm>
#include <cstring>

namespace lockkeeper::databases {
namespace {

constexpr unsigned kDepthMax = 200;
constexpr std::uint32_t kCallEnds =
    kAcquired | kRefused | kReleased | kCallerDied | kFailed | kDone | kLost;

bool same(const Candidate& left, const Candidate& right) {
    return std::memcmp(&left.state, &right.state, sizeof(left.state)) == 0 &&
           left.expected == right.expected && left.told == right.told &&
           left.in_flight == right.in_flight && left.ahead == right.ahead;
}

bool is_step(Action action) {
    return action.kind == ActionKind::kStep || action.kind == ActionKind::kFault;
}

}  // namespace

ModelStep step_of(const Subject& subject, const ErasedSystem::State& state, Action action) {
    const ModelStep step = subject.system.server_act(state, action);
    const bool exits = !subject.leases && step.step == Step::kExits;
    if (exits || step.step == Step::kUnknown || step.fault == StepFault::kUnknown) {
        throw UnknownStep("a step that is no statement: \"" +
                          subject.system.describe(state, action) + "\"");
    }
    return step;
}

ModelWalk::ModelWalk(const Subject& subject) : subject_(subject), candidates_(1) {
    candidates_.front().state = subject.system.initial();
}

bool ModelWalk::possible(const ErasedSystem::State& state, Action action) const {
    ActionList actions;
    subject_.system.enabled(state, actions);
    return actions.contains(action);
}

std::string ModelWalk::error_name(const Event& event) const {
    return subject_.system.error_name(event.error);
}

// Statements that wait at the server and belong to no caller: a renewal, the statement of a session
// that its caller has lost, or of a dead caller.
std::vector<Action> ModelWalk::going_on_without_caller(const ErasedSystem::State& state) const {
    std::vector<Action> going;
    ActionList actions;
    subject_.system.enabled(state, actions);
    std::copy_if(actions.begin(), actions.end(), std::back_inserter(going), [&](Action action) {
        return action.kind == ActionKind::kBackground &&
               goes_on_by_itself(step_of(subject_, state, action).step);
    });
    return going;
}

bool ModelWalk::moves_by_itself(const Candidate& candidate, std::size_t caller) const {
    const Action step{static_cast<std::uint8_t>(caller), ActionKind::kStep, 0};
    return candidate.in_flight[caller] != 0 && possible(candidate.state, step) &&
           is_at_server(step_of(subject_, candidate.state, step).step);
}

// How the caller's statement stands after its step.
void ModelWalk::note(Candidate& candidate, std::size_t caller, Step step,
                     const Event& event) const {
    Expected& expected = candidate.expected[caller];
    expected = {};
    candidate.in_flight[caller] = 0;
    expected.stale = event.is(Breach::kStale);
    expected.refused = event.is(kRefused);
    if (event.is(kFailed) && step == Step::kGiveUp) {
        expected.status = Status::kOk;
        expected.gave_up = error_name(event);
        return;
    }
    // The block ends by an error that its client was told of before; what is sent now is done.
    if (event.is(kFailed) && step == Step::kEnd && error_name(event) != "ConnectionLost") {
        expected.status = Status::kOk;
        expected.rolled_back = true;
        return;
    }
    if (event.is(kFailed)) {
        expected.status = Status::kError;
        expected.error = error_name(event);
        return;
    }
    expected.status = Status::kOk;
    if ((event.what & kCallEnds) != 0 || event.passed_signal()) {
        expected.rolled_back = step == Step::kEnd;
        return;
    }
    const Action next{static_cast<std::uint8_t>(caller), ActionKind::kStep, 0};
    const Step after = step_of(subject_, candidate.state, next).step;
    const bool deletes_on = (step == Step::kDelete || step == Step::kGoesOn) &&
                            (after == Step::kDelete || after == Step::kDeleteEnds);
    if (after == Step::kGoesOn || deletes_on) {
        expected.status = Status::kWaits;
        candidate.in_flight[caller] = 1;
    } else if (after == Step::kGiveUp) {
        expected.status = Status::kError;
    }
}

// The same of leases, in the words of their client: what it makes of the answer is an error, too.
void ModelWalk::note_lease(Candidate& candidate, Action action, Step step,
                           const Event& event) const {
    const auto fail = [](Expected& expected, const std::string& error) {
        expected.status = Status::kError;
        expected.error = error;
    };
    candidate.told = {};
    if (step == Step::kRenewalAnswered) {
        candidate.told.status = Status::kOk;
        if (event.is(kLost)) {
            fail(candidate.told, "LeaseLost");
        }
    }
    // A renewal that waits is described, after it was handled, as one that goes on.
    if (step == Step::kRenewalHandled) {
        const Step after = step_of(subject_, candidate.state, action).step;
        candidate.told.status = after == Step::kRenewalGoesOn ? Status::kWaits : Status::kOk;
    }
    if (step == Step::kControllerCrashed) {
        forget_orphans(candidate);
    }
    if (!is_step(action)) {
        return;
    }
    Expected& expected = candidate.expected[action.actor];
    expected = {};
    candidate.in_flight[action.actor] = 0;
    if (event.is(kFailed) || event.is(kRefused)) {
        return fail(expected, error_name(event));
    }
    if (event.is(kEffectRefused)) {  // a write; or a completion, which cleans up first
        return fail(expected, event.is(kLost) ? "LeaseLost" : "");
    }
    expected.token_repeated = event.is(Breach::kTokenRepeated);
    expected.status = Status::kOk;
    if ((event.what & (kCallEnds | kCrashed)) != 0 || event.passed_signal()) {
        return;
    }
    const Action next{action.actor, ActionKind::kStep, 0};
    const Step after = step_of(subject_, candidate.state, next).step;
    if (after == Step::kGoesOn) {
        expected.status = Status::kWaits;
        candidate.in_flight[action.actor] = 1;
    } else if (after == Step::kLeaseCleanUp) {
        fail(expected, "");  // which, is said when it is done
    }
}

// The statements of orphaned callers are gone with their controller.
void ModelWalk::forget_orphans(Candidate& candidate) const {
    for (std::size_t caller = 0; caller < subject_.world.callers.size(); ++caller) {
        const Action next{static_cast<std::uint8_t>(caller), ActionKind::kStep, 0};
        if (possible(candidate.state, next) &&
            step_of(subject_, candidate.state, next).step == Step::kOrphaned) {
            candidate.expected[caller] = {};
            candidate.in_flight[caller] = 0;
        }
    }
}

Event ModelWalk::take(Candidate& candidate, Action action, Step step) const {
    const Event event = subject_.system.apply(candidate.state, action);
    if (subject_.leases) {
        note_lease(candidate, action, step, event);
        return event;
    }
    if (!is_step(action)) {
        return event;
    }
    note(candidate, action.actor, step, event);
    const Action next{action.actor, ActionKind::kStep, 0};
    // The halves of a COMMIT are one statement.
    if (step == Step::kEnd && (event.what & kCallEnds) == 0 && !event.passed_signal() &&
        step_of(subject_, candidate.state, next).step == Step::kCommitEnds) {
        (void)subject_.system.apply(candidate.state, next);
        ++candidate.ahead[action.actor];
    }
    return event;
}

// All states in which nothing goes on by itself, whatever the order.
void ModelWalk::close(const Candidate& from, std::vector<Candidate>& out, unsigned depth) const {
    if (depth > kDepthMax || out.size() > kCandidatesMax) {
        throw DatabaseError("what the model's server does by itself does not end");
    }
    bool rests = true;
    for (std::size_t caller = 0; caller < subject_.world.callers.size(); ++caller) {
        if (!moves_by_itself(from, caller)) {
            continue;
        }
        rests = false;
        Candidate next = from;
        const Action action{static_cast<std::uint8_t>(caller), ActionKind::kStep, 0};
        const Step step = step_of(subject_, from.state, action).step;
        (void)take(next, action, step);
        ++next.ahead[caller];
        close(next, out, depth + 1);
    }
    for (const Action action : going_on_without_caller(from.state)) {
        rests = false;
        Candidate next = from;
        (void)take(next, action, step_of(subject_, from.state, action).step);
        close(next, out, depth + 1);
    }
    const auto known = [&](const Candidate& other) { return same(from, other); };
    if (rests && std::none_of(out.begin(), out.end(), known)) {
        out.push_back(from);
    }
}

Advance ModelWalk::advance(Action action) {
    Advance done;
    done.action = action;
    const Candidate& first = candidates_.front();
    if (is_step(action) && first.ahead[action.actor] > 0) {
        for (Candidate& candidate : candidates_) {
            candidate.ahead[action.actor] =
                static_cast<std::uint8_t>(std::max(candidate.ahead[action.actor], {1}) - 1);
        }
        done.passed_over = done.owed = true;
        return done;
    }
    if (!possible(first.state, action)) {
        done.passed_over = true;
        return done;
    }
    done.text = subject_.system.describe(first.state, action);
    done.step = step_of(subject_, first.state, action);
    std::vector<Candidate> next;
    try {
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (i > 0 && !possible(candidates_[i].state, action)) {
                continue;
            }
            Candidate candidate = candidates_[i];
            const Event event = take(candidate, action, done.step.step);
            done.event = i == 0 ? event : done.event;
            close(candidate, next, 0);
        }
    } catch (const LimitExceeded&) {  // virtual time ends before
        done.passed_over = true;
        return done;
    }
    candidates_ = std::move(next);
    done.others_idle = subject_.leases && action.kind == ActionKind::kTime && others_are_idle();
    return done;
}

// The model has no step of a reaper or a clean-up that finds nothing, nor of one that waits.
bool ModelWalk::others_are_idle() const {
    const auto busy = [&](const ErasedSystem::State& state, Action action) {
        const Step step = step_of(subject_, state, action).step;
        return step == Step::kReap || step == Step::kNotice || step == Step::kCompleteCommit ||
               step == Step::kLeaseCommit || step == Step::kRenewalsBegin ||
               step == Step::kPickCommit || step == Step::kRowUnlocked;
    };
    return std::all_of(candidates_.begin(), candidates_.end(), [&](const Candidate& candidate) {
        ActionList actions;
        subject_.system.enabled(candidate.state, actions);
        return std::none_of(actions.begin(), actions.end(),
                            [&](Action action) { return busy(candidate.state, action); });
    });
}

bool ModelWalk::keep(const std::function<bool(const Candidate&)>& fits) {
    std::vector<Candidate> left;
    std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(left), fits);
    if (left.empty()) {
        return false;
    }
    candidates_ = std::move(left);
    return true;
}

std::vector<Action> ModelWalk::choices() const {
    ActionList actions;
    subject_.system.enabled(candidates_.front().state, actions);
    return {actions.begin(), actions.end()};
}

}  // namespace lockkeeper::databases

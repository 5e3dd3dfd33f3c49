// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/tasks_run.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace lockkeeper {

void TasksRun::begin() {
    callers_.assign(world_.world.callers.size(), {});
    ledger_.begin(accounts_of(callers_));
    signals_.assign(world_.world.signals.size(), 0);
    early_timers_ = free_timers_ = 0;
    cancels_ = failures_ = 0;
    asked_by_look_ = -1;
    steps_of_look_.clear();
    got_.clear();
    choices_ = {};
    program_.reset();
    static_cast<void>(hear());
    ledger_.refresh([](std::size_t) { return false; });
}

bool TasksRun::has(ChoiceKind kind) const {
    return std::any_of(choices_.choices.begin(), choices_.choices.end(),
                       [&](const Choice& choice) { return choice.kind == kind; });
}

bool TasksRun::may_begin(std::size_t index, bool at_once) const {
    const Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    if (caller.dead || caller.done || caller.id >= 0) {
        return false;
    }
    const Operation& operation = caller.upcoming(config);
    if (operation.uses_signal()) {
        return !at_once &&
               (operation.verb == Verb::kSignal || signals_[operation.signal] >= operation.amount);
    }
    const auto has_it = [&](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), config.name) != names.end();
    };
    const bool may =
        at_once ? has_it(choices_.at_once) : !choices_.begin || has_it(*choices_.begin);
    return may && (operation.verb != Verb::kAcquire || !caller.waits_for_change);
}

bool TasksRun::all_done() const {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return caller.dead || caller.done; });
}

void TasksRun::add_choices(std::vector<Action>& out) const {
    for (const Choice& choice : choices_.choices) {
        if (choice.kind == ChoiceKind::kRun || choice.kind == ChoiceKind::kArrive) {
            out.push_back({static_cast<std::uint8_t>(choice.kind == ChoiceKind::kRun ? 0 : 1),
                           ActionKind::kBackground, choice.id});
        }
    }
}

void TasksRun::add_timers(std::vector<Action>& out) const {
    const bool all_may_fire = out.empty() || early_timers_ < world_.ticks_max;
    for (const Choice& choice : choices_.choices) {
        if (choice.kind == ChoiceKind::kTimer && free_timers_ < kFreeTimersMax &&
            (all_may_fire || choice.due == true)) {
            out.push_back({0, ActionKind::kTime, choice.id});
        }
    }
}

void TasksRun::add_faults(std::vector<Action>& out) const {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const bool is_offered = std::any_of(
            choices_.choices.begin(), choices_.choices.end(), [&](const Choice& choice) {
                return choice.kind == ChoiceKind::kCancel &&
                       choice.client == world_.world.callers[i].name;
            });
        if (is_offered && callers_[i].id >= 0 && cancels_ < world_.cancels_max) {
            out.push_back({static_cast<std::uint8_t>(i), ActionKind::kFault, 0});
        }
    }
    for (const Choice& choice : choices_.choices) {
        if (choice.kind == ChoiceKind::kFail && failures_ < world_.failures_max) {
            out.push_back({0, ActionKind::kDisturb, choice.id});
        }
    }
}

// Without time and faults.
std::vector<Action> TasksRun::ready_to_go_on() const {
    std::vector<Action> out;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (const bool at_once : {true, false}) {
            if (may_begin(i, at_once)) {
                out.push_back({static_cast<std::uint8_t>(i), ActionKind::kStep,
                               at_once ? kAtOnce : std::uint16_t{0}});
            }
        }
    }
    add_choices(out);
    return out;
}

std::vector<Action> TasksRun::enabled() {
    std::vector<Action> out = ready_to_go_on();
    if (!all_done()) {
        add_timers(out);
        add_faults(out);
    }
    return out;
}

bool TasksRun::finished() { return all_done() && at_rest(); }

bool TasksRun::at_rest() {
    return !has(ChoiceKind::kRun) && !has(ChoiceKind::kArrive) &&
           std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return caller.id < 0; });
}

// Timers are left where the loop fires them without end: then nobody knows.
bool TasksRun::is_deadlock(const std::vector<Action>& enabled) {
    return std::all_of(enabled.begin(), enabled.end(), is_fault) && !all_done() &&
           !has(ChoiceKind::kTimer);
}

TasksRun::Step TasksRun::begin_call(std::size_t index, bool at_once) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    const Operation upcoming = caller.upcoming(config);
    const Operation operation = caller.resolved(upcoming, places_now());
    Step step;
    step.text = config.name + " " + word_of(world_.world, operation);
    if (operation.uses_signal()) {
        pass_signal(operation, signals_);
        caller.advance(config);
        step.text += " " + world_.world.signals[operation.signal];
        step.alone = upcoming;
        return step;
    }
    ledger_.call(index, operation);
    caller.id =
        say_operation(program_, world_.world, config.name, operation, caller.subject, at_once);
    step.called = operation;
    step.result = hear();
    step.text += at_once ? ": at once" : step.result.empty() ? ": is ready" : "";
    return step;
}

TasksRun::Step TasksRun::take(Action action) {
    Step step;
    ledger_.step();
    const bool others_could_go_on = !ready_to_go_on().empty();
    std::optional<bool> is_due;
    const std::int64_t time_before = now();
    if (action.kind == ActionKind::kStep) {
        step = begin_call(action.actor, action.argument == kAtOnce);
    } else {
        const Choice choice = choice_of(action);
        step.text = choice.name;
        switch (action.kind) {
            case ActionKind::kTime:
                ledger_.saw(kTimePassed);
                is_due = choice.due;
                break;
            case ActionKind::kFault:
                ++cancels_;
                ++callers_[action.actor].cancels_open;
                step.text = choice.client + " " +
                            word_of(world_.world, callers_[action.actor].operation) +
                            ": a cancellation is ready";
                break;
            case ActionKind::kDisturb: ++failures_; break;
            case ActionKind::kBackground: break;
            case ActionKind::kStep:
            case ActionKind::kCrash:
            case ActionKind::kResize: unreachable("no such action is ever enabled");
        }
        say(choice);
        step.result = hear();
        if (!choices_.did.empty()) {
            step.text = choices_.did;
        }
    }
    if (action.kind == ActionKind::kTime) {
        const bool was_due = is_due.value_or(now() == time_before);
        ++(others_could_go_on && !was_due ? early_timers_ : free_timers_);
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (action.kind != ActionKind::kStep || i != action.actor) {
            callers_[i].waits_for_change = false;
        }
    }
    ledger_.refresh([](std::size_t) { return false; });
    return step;
}

std::string TasksRun::describe() {
    std::string waiting;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (callers_[i].id >= 0) {
            waiting += (waiting.empty() ? "" : ", ") + world_.world.callers[i].name;
        }
    }
    std::string holders = ledger_.holders();
    for (const auto& [key, got] : got_) {
        for (std::size_t i = 0; i < got.grants; ++i) {
            holders += (holders.empty() ? "" : ", ") + probe_name(i);
        }
    }
    return (waiting.empty() ? "" : waiting + " in a call  ") +
           (holders.empty() ? "nobody holds" : "held by " + holders);
}

std::string TasksRun::questions() {
    std::string out = "time " + std::to_string(choices_.loop_time);
    for (const Choice& choice : choices_.choices) {
        out +=
            ", " + (choice.kind == ChoiceKind::kCancel ? "cancel " + choice.client : choice.name);
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        out += callers_[i].id >= 0 ? ", " + world_.world.callers[i].name + " in a call" : "";
    }
    return out;
}

// Milliseconds.
std::int32_t TasksRun::time_shown() const {
    return static_cast<std::int32_t>(std::min<std::int64_t>(choices_.loop_time, INT32_MAX));
}

ActionClass TasksRun::class_of(Action action) {
    return action.kind == ActionKind::kStep ? class_of_beginning(callers_[action.actor].upcoming(
                                                  world_.world.callers[action.actor]))
                                            : lockkeeper::class_of(action.kind);
}

}  // namespace lockkeeper

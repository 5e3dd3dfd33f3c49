// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/stepped_run.hpp"

#include <algorithm>
#include <utility>

#include "model/check.hpp"
#include "model/json.hpp"

namespace lockkeeper {
SteppedRun::SteppedRun(Program& program, const OutsideWorld& world)
    : Source(world), program_(program) {}

void SteppedRun::begin() {
    shared_ = {};
    callers_.assign(world_.world.callers.size(), {});
    ledger_.begin(accounts_of(callers_));
    signals_.assign(world_.world.signals.size(), 0);
    ends_of_dead_ = 0;
    view_ = 0;
    crashes_ = 0;
    uses_time_ = false;
    steps_of_look_.clear();
    got_.clear();
    program_.reset();
    const std::vector<std::string>& names = program_.background();
    activities_.assign(names.size(), {});
    is_calls_alone_ = names.empty();
    for (std::size_t i = 0; i < names.size(); ++i) {
        activities_[i].id = program_.ask(Program::kHarness, "background", {{"name", names[i]}});
        hear_of_background(i);
    }
    refresh();
}

void SteppedRun::add_steps(std::size_t activity, std::vector<Action>& out) const {
    const Message& question = activities_[activity].questions.front();
    const auto number = static_cast<std::uint8_t>(activity);
    if (question.kind == MessageKind::kReceive) {
        for (const std::uint8_t sender : shared_.senders_for(question)) {
            out.push_back({number, ActionKind::kBackground, sender});
        }
    } else if (!shared_.is_blocked(question)) {
        out.push_back({number, ActionKind::kBackground, 0});
    }
}

std::vector<Action> SteppedRun::enabled() {
    std::vector<Action> out;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const Caller& caller = callers_[i];
        if (caller.dead || caller.done) {
            continue;
        }
        const std::vector<Message>& questions = caller.activity.questions;
        if (questions.empty() && can_begin(i)) {
            out.push_back({static_cast<std::uint8_t>(i), ActionKind::kStep, 0});
        }
        for (std::size_t place = 0; place < questions.size(); ++place) {
            if (!shared_.is_blocked(questions[place])) {
                out.push_back({static_cast<std::uint8_t>(i), ActionKind::kStep,
                               static_cast<std::uint16_t>(place)});
            }
        }
    }
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        add_steps(i, out);
    }
    if (all_done()) {
        return out;
    }
    if (may_tick(!out.empty())) {
        const std::int64_t next = shared_.clock() / world_.tick_width + 1;
        out.push_back({0, ActionKind::kTime, static_cast<std::uint16_t>(next)});
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const Caller& caller = callers_[i];
        // A caller at the end of its script may hold something until the end of the run.
        const bool has_something = !caller.done || !caller.held.empty();
        if (crashes_ < world_.world.crashes_max && !caller.dead && has_something &&
            world_.world.callers[i].may_crash) {
            out.push_back({static_cast<std::uint8_t>(i), ActionKind::kCrash, 0});
        }
    }
    if (view_ < world_.world.resizes_max()) {
        out.push_back({0, ActionKind::kResize, 0});
    }
    return out;
}

bool SteppedRun::may_tick(bool somebody_can_step) const {
    const std::int64_t ticks = shared_.clock() / world_.tick_width;
    if (ticks >= UINT16_MAX) {
        return false;
    }
    return ticks < world_.ticks_max || somebody_sleeps() ||
           (!somebody_can_step && uses_time_ && ticks < world_.ticks_max + kPatienceTicks);
}

// The end of the clock is a limit: later, sleepers would wake and holdings would end.
bool SteppedRun::is_out_of_time() const {
    return somebody_sleeps() || ledger_.rates().next_end(shared_.clock()) ||
           shared_.clock() < std::max(ends_of_dead_, shared_.last_end()) ||
           std::any_of(callers_.begin(), callers_.end(), [&](const Caller& caller) {
               const auto index = static_cast<std::size_t>(&caller - callers_.data());
               return std::any_of(caller.held.begin(), caller.held.end(),
                                  [&](const BelievedHolding& holding) {
                                      return holding.until.has_value() && !is_over(index, holding);
                                  });
           });
}

bool SteppedRun::somebody_sleeps() const {
    return std::any_of(callers_.begin(), callers_.end(), [](const Caller& caller) {
        return !caller.dead && caller.wakes_at.has_value();
    });
}

bool SteppedRun::all_done() const {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return caller.dead || caller.done; });
}

bool SteppedRun::at_rest() {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return caller.activity.questions.empty(); }) &&
           std::all_of(activities_.begin(), activities_.end(), [&](const Activity& activity) {
               return shared_.is_blocked(activity.questions.front());
           });
}

bool SteppedRun::finished() { return all_done() && at_rest(); }

bool SteppedRun::is_deadlock(const std::vector<Action>& enabled) {
    return std::all_of(enabled.begin(), enabled.end(), is_fault) && !all_done() &&
           !is_out_of_time();
}

bool SteppedRun::is_inside(Action action) {
    // An activity that waits for a message is between two of its rounds.
    return action.kind == ActionKind::kStep
               ? !callers_[action.actor].activity.questions.empty()
               : action.kind == ActionKind::kBackground &&
                     activities_[action.actor].questions.front().kind != MessageKind::kReceive;
}

// Does the first half of a call's first step. True: the step ends with it.
bool SteppedRun::begin_call(std::size_t index, Step& step) {
    Caller& caller = callers_[index];
    const std::string& name = world_.world.callers[index].name;
    const Operation upcoming = caller.upcoming(world_.world.callers[index]);
    step.text = name + " " + begin_operation(index);
    if (caller.activity.id < 0) {  // a step of the script alone
        step.ended = caller.dead;
        if (!step.ended) {
            step.alone = upcoming;
        }
        return true;
    }
    step.called = caller.operation;
    if (const auto answer = hear(caller.activity, name)) {
        step.returned = end_operation(index, *answer);
        step.result = "-> " + step.returned->text;
        return true;
    }
    // If several questions are open, the search chooses which one is answered first.
    const std::vector<Message>& questions = caller.activity.questions;
    if (questions.size() > 1 || shared_.is_blocked(questions.front())) {
        step.text += ": begins";
        return true;
    }
    return false;
}

SteppedRun::Step SteppedRun::step_of_caller(std::size_t index, std::size_t place) {
    Caller& caller = callers_[index];
    const std::string& name = world_.world.callers[index].name;
    Step step;
    if (caller.activity.questions.empty() && begin_call(index, step)) {
        return step;
    }
    step.text = name + " " + word_of(world_.world, caller.operation);
    step.result =
        "-> " + answer_question(caller.activity, place, index, std::nullopt, step.text).text;
    if (const auto answer = hear(caller.activity, name)) {
        step.returned = end_operation(index, *answer);
        step.result = (step.result == "-> ok" ? "-> " : step.result + ", ") + step.returned->text;
    }
    return step;
}

SteppedRun::Step SteppedRun::step_of_activity(std::size_t index, std::uint8_t sender) {
    const std::string& name = program_.background()[index];
    Step step;
    step.text = name;
    step.result =
        "-> " +
        answer_question(activities_[index], 0, callers_.size() + index, sender, step.text).text;
    hear_of_background(index);
    return step;
}

void SteppedRun::crash(std::size_t index) {
    Caller& caller = callers_[index];
    for (const BelievedHolding& holding : caller.held) {
        if (holding.until) {
            const std::int64_t ahead = time_of(index) - shared_.clock();
            ends_of_dead_ = std::max(
                ends_of_dead_, std::clamp<std::int64_t>(*holding.until, 0, kFinalTicksMax) - ahead);
        }
    }
    ledger_.crash(index);
    caller.activity = {};
    caller.wakes_at.reset();
    shared_.died(static_cast<std::uint8_t>(index));
    program_.tell_crash(world_.world.callers[index].name);
}

SteppedRun::Step SteppedRun::take(Action action) {
    Step step;
    ledger_.step();
    switch (action.kind) {
        case ActionKind::kStep: step = step_of_caller(action.actor, action.argument); break;
        case ActionKind::kBackground:
            step = step_of_activity(action.actor, static_cast<std::uint8_t>(action.argument));
            break;
        case ActionKind::kCrash:
            ++crashes_;
            crash(action.actor);
            step.text = world_.world.callers[action.actor].name + " crashes";
            step.ended = true;
            break;
        case ActionKind::kTime:
            shared_.set_clock(action.argument * world_.tick_width);
            ledger_.saw(kTimePassed);
            step.text = "time passes";
            break;
        case ActionKind::kResize:
            ++view_;
            ledger_.saw(kResized);
            step.text = "resize to " + std::to_string(world_.world.views[view_]) + " buckets";
            break;
        case ActionKind::kFault:
        case ActionKind::kDisturb: unreachable("no such action is ever enabled");
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (action.kind != ActionKind::kStep || i != action.actor) {
            callers_[i].waits_for_change = false;
        }
    }
    refresh();
    return step;
}

std::string SteppedRun::describe() {
    if (world_.rate_limit.is_given()) {
        return shared_.describe() + "  " + ledger_.granted_lately();
    }
    std::string holders = ledger_.holders();
    for (const auto& [key, got] : got_) {
        for (std::size_t i = 0; i < got.until.size(); ++i) {
            holders += (holders.empty() ? "" : ", ") + probe_name(i);
        }
    }
    return shared_.describe() + (holders.empty() ? "  nobody holds" : "  held by " + holders);
}

std::string SteppedRun::questions() {
    std::string out;
    const auto add = [&](const std::string& name, const Activity& activity) {
        out += (out.empty() ? "" : ", ") + name + (activity.questions.empty() ? " -" : "");
        for (const Message& question : activity.questions) {
            out += (&question == &activity.questions.front() ? " " : " and ") + question.describe();
        }
    };
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        add(world_.world.callers[i].name, callers_[i].activity);
    }
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        add(program_.background()[i], activities_[i]);
    }
    return out;
}

std::string SteppedRun::key() {
    std::string out;
    const auto add = [&](auto number) { out += std::to_string(number) + ","; };
    const auto add_activity = [&](const Activity& activity) {
        for (const Message& question : activity.questions) {
            out += "q";
            question.write_key(out);
        }
        out += "-";
        if (!activity.questions.empty()) {
            add_piece(out, activity.answers);
        }
    };
    shared_.write_key(out);
    ledger_.write_key(out);
    for (const Caller& caller : callers_) {
        add(caller.wakes_at.value_or(-1));
        add_activity(caller.activity);
    }
    std::for_each(activities_.begin(), activities_.end(), add_activity);
    for (const std::uint32_t signal : signals_) {
        add(signal);
    }
    add(view_);
    add(crashes_);
    add(static_cast<int>(uses_time_));
    add(ends_of_dead_ > shared_.clock() ? ends_of_dead_ : 0);
    return out;
}

// Ticks.
std::int32_t SteppedRun::time_shown() const {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(shared_.clock() / world_.tick_width, INT32_MAX));
}

// The clock may go on further at once than a search lets it.
bool SteppedRun::is_possible(Action action, const std::vector<Action>& enabled) {
    return std::any_of(enabled.begin(), enabled.end(), [&](Action other) {
        return action == other ||
               (action.kind == ActionKind::kTime && other.kind == ActionKind::kTime &&
                action.argument > other.argument);
    });
}

ActionClass SteppedRun::class_of(Action action) {
    const bool begins =
        action.kind == ActionKind::kStep && callers_[action.actor].activity.questions.empty();
    return begins ? class_of_beginning(
                        callers_[action.actor].upcoming(world_.world.callers[action.actor]))
                  : lockkeeper::class_of(action.kind);
}

}  // namespace lockkeeper

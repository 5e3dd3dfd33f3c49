#include "outside/stepped_run.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace lockkeeper {
SteppedRun::SteppedRun(Program& program, const OutsideWorld& world)
    : program_(program), world_(world) {
    LOCKKEEPER_CHECK(world.world.keys.size() <= ghosts_.size());
}

void SteppedRun::begin() {
    shared_ = {};
    callers_.assign(world_.world.callers.size(), {});
    signals_.assign(world_.world.signals.size(), 0);
    ghosts_ = {};
    last_token_ = {};
    leased_ = {};
    view_ = 0;
    crashes_ = 0;
    uses_time_ = false;
    violated_.clear();
    program_.reset();
    const std::vector<std::string>& names = program_.background();
    activities_.assign(names.size(), {});
    for (std::size_t i = 0; i < names.size(); ++i) {
        activities_[i].id =
            program_.ask(Program::kHarness, "background",
                         [&](MessageWriter& message) { message.add_text("name", names[i]); });
        if (hear(activities_[i], names[i])) {
            throw Misbehaved(Misbehaviour::kNonsense, "a background activity answers");
        }
    }
    refresh();
}

// The message that an activity's turn ends with: its next question, which is kept, or its answer.
std::optional<Message> SteppedRun::hear(Activity& activity, const std::string& name) {
    Message message = program_.next();
    if (is_question(message.kind)) {
        if (message.op != activity.id) {
            throw Misbehaved(Misbehaviour::kWrongAnswer,
                             "\"op\" is " + std::to_string(*message.op) + " where " + name +
                                 "'s operation " + std::to_string(activity.id) + " goes on");
        }
        if (message.dest != Program::kHarness) {
            throw Misbehaved(
                Misbehaviour::kNonsense,
                "a question to " + quoted_piece(message.dest, 40) + " instead of \"harness\"");
        }
        uses_time_ = uses_time_ || message.kind == MessageKind::kNow;
        if (!message.local.empty()) {
            activity.answers = message.local;
        }
        activity.question = std::move(message);
        return std::nullopt;
    }
    if (message.in_reply_to != activity.id) {
        throw Misbehaved(Misbehaviour::kWrongAnswer,
                         "in_reply_to is " + std::to_string(*message.in_reply_to) + " where " +
                             name + "'s operation " + std::to_string(activity.id) + " goes on");
    }
    activity = {};
    return message;
}

void SteppedRun::add_steps(std::size_t activity, std::vector<Action>& out) const {
    const Message& question = *activities_[activity].question;
    const auto number = static_cast<std::uint8_t>(activity);
    if (question.kind == MessageKind::kReceive) {
        for (const std::uint8_t sender : shared_.senders_for(question)) {
            out.push_back({number, ActionKind::kBackground, sender});
        }
    } else if (!shared_.is_blocked(question)) {
        out.push_back({number, ActionKind::kBackground, 0});
    }
}

std::vector<Action> SteppedRun::enabled() const {
    std::vector<Action> out;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const Caller& caller = callers_[i];
        if (caller.dead || caller.done) {
            continue;
        }
        if (caller.activity.question ? !shared_.is_blocked(*caller.activity.question)
                                     : can_begin(i)) {
            out.push_back({static_cast<std::uint8_t>(i), ActionKind::kStep, 0});
        }
    }
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        add_steps(i, out);
    }
    if (all_done()) {
        return out;
    }
    if (may_tick(!out.empty())) {
        out.push_back({0, ActionKind::kTime, static_cast<std::uint16_t>(shared_.clock() + 1)});
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const Caller& caller = callers_[i];
        if (crashes_ < world_.world.crashes_max && !caller.dead && !caller.done &&
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
    const std::int64_t time = shared_.clock();
    if (time >= UINT16_MAX) {
        return false;
    }
    const bool sleeps = std::any_of(callers_.begin(), callers_.end(), [](const Caller& caller) {
        return !caller.dead && caller.wakes_at.has_value();
    });
    return time < world_.ticks_max || sleeps ||
           (!somebody_can_step && uses_time_ && time < world_.ticks_max + kPatienceTicks);
}

bool SteppedRun::all_done() const {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return caller.dead || caller.done; });
}

bool SteppedRun::at_rest() const {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return !caller.activity.question; }) &&
           std::all_of(activities_.begin(), activities_.end(), [&](const Activity& activity) {
               return shared_.is_blocked(*activity.question);
           });
}

bool SteppedRun::finished() const { return all_done() && at_rest(); }

bool SteppedRun::is_deadlock(const std::vector<Action>& enabled) const {
    return !all_done() && std::all_of(enabled.begin(), enabled.end(), is_fault);
}

bool SteppedRun::is_inside(Action action) const {
    // An activity that has received nothing yet is between two of its rounds.
    return action.kind == ActionKind::kStep
               ? callers_[action.actor].activity.question.has_value()
               : action.kind == ActionKind::kBackground &&
                     activities_[action.actor].question->kind != MessageKind::kReceive;
}

int SteppedRun::client_number(const std::string& name) const {
    for (std::size_t i = 0; i < world_.world.callers.size(); ++i) {
        if (world_.world.callers[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

// Does the activity's question and tells it; its next message is still to be heard. `text`: the
// question, for reports.
SharedState::Answer SteppedRun::answer_question(Activity& activity, std::size_t actor,
                                                std::optional<std::uint8_t> sender,
                                                std::string& text) {
    constexpr int kProbe = 255;  // the client of the final look, who is never seen to die
    const Message question = std::move(*activity.question);
    activity.question.reset();
    int client = kProbe;
    if (question.kind == MessageKind::kMonitor && question.client != "probe") {
        client = client_number(question.client);
        if (client < 0) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             "monitors " + quoted_piece(question.client, 40) + ", who is nobody");
        }
    }
    const bool dead = client != kProbe && callers_[static_cast<std::size_t>(client)].dead;
    SharedState::Answer answer =
        shared_.apply(question, static_cast<std::uint8_t>(actor), sender, client, dead);
    activity.answers += answer.type + answer.more + "\n";
    program_.answer(question, answer.type, answer.more);
    text += ": " + question.describe();
    return answer;
}

SteppedRun::Step SteppedRun::step_of_caller(std::size_t index) {
    Caller& caller = callers_[index];
    const std::string& name = world_.world.callers[index].name;
    Step step;
    if (!caller.activity.question) {
        const Operation upcoming = caller.upcoming(world_.world.callers[index]);
        step.text = name + " " + begin_operation(index);
        if (caller.activity.id < 0) {  // a step of the script alone
            step.ended = caller.dead;
            if (!step.ended) {
                step.alone = upcoming;
            }
            return step;
        }
        step.called = caller.operation;
        if (const auto answer = hear(caller.activity, name)) {
            step.answer = end_operation(index, *answer);
            step.result = "-> " + step.answer;
            return step;
        }
        if (shared_.is_blocked(*caller.activity.question)) {
            step.text += ": begins";
            return step;
        }
    }
    step.text = name + " " + word_of(world_.world, caller.operation);
    step.result = "-> " + answer_question(caller.activity, index, std::nullopt, step.text).text;
    if (const auto answer = hear(caller.activity, name)) {
        step.answer = end_operation(index, *answer);
        step.result =
            step.result == "-> ok" ? "-> " + step.answer : step.result + ", " + step.answer;
    }
    return step;
}

SteppedRun::Step SteppedRun::step_of_activity(std::size_t index, std::uint8_t sender) {
    const std::string& name = program_.background()[index];
    Step step;
    step.text = name;
    step.result =
        "-> " +
        answer_question(activities_[index], callers_.size() + index, sender, step.text).text;
    if (hear(activities_[index], name)) {
        throw Misbehaved(Misbehaviour::kNonsense, "a background activity answers");
    }
    return step;
}

void SteppedRun::crash(std::size_t index) {
    Caller& caller = callers_[index];
    const bool inside = caller.activity.id >= 0;
    if (inside && caller.operation.verb != Verb::kCall) {
        ++ghosts_[caller.operation.key];
    }
    for (const BelievedHolding& holding : caller.held) {
        ++ghosts_[holding.operation.key];
    }
    for (std::size_t key = 0; key < ghosts_.size(); ++key) {
        ghosts_[key] += caller.doubtful[key];
    }
    const std::size_t next = caller.next;
    caller = {};
    caller.next = next;
    caller.dead = true;
    shared_.died(static_cast<std::uint8_t>(index));
    program_.tell_crash(world_.world.callers[index].name);
}

SteppedRun::Step SteppedRun::take(Action action) {
    Step step;
    switch (action.kind) {
        case ActionKind::kStep: step = step_of_caller(action.actor); break;
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
            shared_.set_clock(action.argument);
            step.text = "time passes";
            break;
        case ActionKind::kResize:
            ++view_;
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

std::string SteppedRun::describe() const {
    std::string holders;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (std::size_t n = 0; n < callers_[i].held.size(); ++n) {
            holders += (holders.empty() ? "" : ", ") + world_.world.callers[i].name;
        }
    }
    return shared_.describe() + (holders.empty() ? "  nobody holds" : "  held by " + holders);
}

std::string SteppedRun::questions() const {
    std::string out;
    const auto add = [&](const std::string& name, const Activity& activity) {
        out += (out.empty() ? "" : ", ") + name + " " +
               (activity.question ? activity.question->describe() : "-");
    };
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        add(world_.world.callers[i].name, callers_[i].activity);
    }
    for (std::size_t i = 0; i < activities_.size(); ++i) {
        add(program_.background()[i], activities_[i]);
    }
    return out;
}

std::string SteppedRun::key() const {
    std::string out;
    const auto add = [&](auto number) { out += std::to_string(number) + ","; };
    const auto add_activity = [&](const Activity& activity) {
        out += activity.question ? "q" : "-";
        if (activity.question) {
            activity.question->write_key(out);
            add_piece(out, activity.answers);
        }
    };
    shared_.write_key(out);
    for (const Caller& caller : callers_) {
        add(caller.next);
        add(caller.dead * 4 + caller.done * 2 + caller.waits_for_change);
        add(caller.wakes_at.value_or(-1));
        add(caller.activity.question ? caller.possible_most : 0);
        add(caller.activity.question ? caller.operation.buckets : 0);
        std::for_each(caller.doubtful.begin(), caller.doubtful.end(), add);
        const auto add_holding = [&](const BelievedHolding& holding) {
            add(holding.operation.key);
            add(holding.operation.max_per);
            add(holding.operation.buckets);
            add(holding.until.value_or(INT64_MIN));
            add(holding.token.value_or(INT64_MIN));
            add(holding.overtaken);
        };
        std::for_each(caller.held.begin(), caller.held.end(), add_holding);
        out += "/";
        if (caller.subject) {
            add_holding(*caller.subject);
        }
        add_activity(caller.activity);
    }
    std::for_each(activities_.begin(), activities_.end(), add_activity);
    for (const std::uint32_t signal : signals_) {
        add(signal);
    }
    for (std::size_t key = 0; key < ghosts_.size(); ++key) {
        add(ghosts_[key]);
        add(last_token_[key].value_or(INT64_MIN));
        add(static_cast<int>(leased_[key]));
    }
    add(view_);
    add(crashes_);
    add(static_cast<int>(uses_time_));
    return out;
}

}  // namespace lockkeeper

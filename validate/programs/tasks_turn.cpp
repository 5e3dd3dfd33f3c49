// SPDX-License-Identifier: Apache-2.0

// The turns of a loop: what it is told to do, and all that it says until it waits for the next
// choice.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/tasks_run.hpp"

namespace lockkeeper {
namespace {

ChoiceKind kind_of(Action action) {
    switch (action.kind) {
        case ActionKind::kBackground:
            return action.actor == 0 ? ChoiceKind::kRun : ChoiceKind::kArrive;
        case ActionKind::kTime: return ChoiceKind::kTimer;
        case ActionKind::kFault: return ChoiceKind::kCancel;
        case ActionKind::kDisturb: return ChoiceKind::kFail;
        case ActionKind::kStep:
        case ActionKind::kCrash:
        case ActionKind::kResize: break;
    }
    unreachable("not a choice of the loop");
}

}  // namespace

std::string TasksRun::why_of(const Message& answer) {
    const std::string code = std::to_string(answer.code) + " ";  // as Python's client writes it
    const std::string why =
        answer.text.starts_with(code) ? answer.text.substr(code.size()) : answer.text;
    return why.empty() || answer.kind != MessageKind::kError ? "" : " (" + why + ")";
}

const Choice& TasksRun::choice_of(Action action) const {
    const ChoiceKind kind = kind_of(action);
    const auto found =
        std::find_if(choices_.choices.begin(), choices_.choices.end(), [&](const Choice& choice) {
            return choice.kind == kind &&
                   (kind == ChoiceKind::kCancel
                        ? choice.client == world_.world.callers[action.actor].name
                        : choice.id == action.argument);
        });
    LOCKKEEPER_CHECK(found != choices_.choices.end());
    return *found;
}

void TasksRun::say(const Choice& choice) {
    std::string more =
        std::string(R"("do":")") + kChoiceWords[static_cast<std::size_t>(choice.kind)] + "\"";
    more += choice.kind == ChoiceKind::kCancel ? R"(,"client":")" + choice.client + "\""
                                               : ",\"id\":" + std::to_string(choice.id);
    program_.answer(choices_, "choices_ok", more);
}

// Beyond the callers, the loop may offer to cancel the clients of the look at the end.
void TasksRun::keep_choices(Message message) {
    if (message.dest != Program::kHarness) {
        throw Misbehaved(Misbehaviour::kNonsense, "choices to " + quoted_piece(message.dest, 40) +
                                                      " instead of \"harness\"");
    }
    if (message.loop_time < choices_.loop_time) {
        throw Misbehaved(Misbehaviour::kNonsense, "its time goes back from " +
                                                      std::to_string(choices_.loop_time) + " to " +
                                                      std::to_string(message.loop_time));
    }
    for (const std::string& client : message.missed) {
        take_back_cancel(client);
    }
    choices_ = std::move(message);
}

void TasksRun::take_back_cancel(const std::string& client) {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (world_.world.callers[i].name == client && callers_[i].cancels_open > 0) {
            --callers_[i].cancels_open;
            --cancels_;
            return;
        }
    }
    throw Misbehaved(
        Misbehaviour::kNonsense,
        quoted_piece(client, 40) + " missed a cancellation: none was chosen, or it has hit");
}

// Hears one turn. Returns the results for a report: "-> acquired"; empty: no call has ended.
// `answer_of_look`: receives the answer to the client of the look at the end.
std::string TasksRun::hear(std::optional<Message>* answer_of_look) {
    std::string result;
    for (;;) {
        Message message = program_.next();
        if (message.kind == MessageKind::kChoices) {
            keep_choices(std::move(message));
            return result;
        }
        if (!message.in_reply_to) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             "\"" + message.type + "\" where the choices of an event loop were " +
                                 "due: --tasks needs a driver of lockkeeper_tasks");
        }
        const auto found =
            std::find_if(callers_.begin(), callers_.end(), [&](const Caller& caller) {
                return caller.id >= 0 && caller.id == *message.in_reply_to;
            });
        if (found != callers_.end()) {
            const auto index = static_cast<std::size_t>(found - callers_.begin());
            const std::string& name = world_.world.callers[index].name;
            result += (result.empty() ? "-> " : ", ") + name + " " + end_operation(index, message);
        } else if (answer_of_look != nullptr && asked_by_look_ == *message.in_reply_to) {
            asked_by_look_ = -1;
            *answer_of_look = std::move(message);
        } else {
            throw Misbehaved(Misbehaviour::kWrongAnswer, "in_reply_to " +
                                                             std::to_string(*message.in_reply_to) +
                                                             ", which is no call under way");
        }
    }
}

std::string TasksRun::end_operation(std::size_t index, const Message& answer) {
    Caller& caller = callers_[index];
    const Verb verb = caller.operation.verb;
    const std::string word = word_of(world_.world, caller.operation);
    const bool is_error = answer.kind == MessageKind::kError;
    refuse_stray(answer, word, world_.world.callers[index].name);
    refuse_unsupported(answer, word);
    if (is_error && answer.code == kErrorCrash) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "error 13 (crash): callers of one process do not crash alone");
    }
    caller.id = -1;
    if (caller.cancels_open > 0 && why_of(answer) == " (cancelled)") {
        --caller.cancels_open;
    }
    ledger_.tally.events |= is_error ? kFailed : 0U;
    const Told told = told_by(answer, verb);
    const Ledger::Changed changed = ledger_.answer(index, told);
    return call_end(told, verb, changed.ends).text + why_of(answer);
}

bool TasksRun::is_over(std::size_t /*caller*/, const BelievedHolding& holding) const {
    return holding.until && now() >= *holding.until;
}

std::int64_t TasksRun::time_left(std::size_t /*caller*/, const BelievedHolding& holding) const {
    return time_between(now(), *holding.until);
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The turns of a conversation at the stepped level: one answer to the program, and all that the
// program says next. docs/reference/protocol.md, rule 1.
#include <algorithm>

#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

void SteppedRun::keep_question(Activity& activity, Message message) {
    if (message.dest != Program::kHarness) {
        throw Misbehaved(
            Misbehaviour::kNonsense,
            "a question to " + quoted_piece(message.dest, 40) + " instead of \"harness\"");
    }
    const bool is_known =
        std::any_of(activity.questions.begin(), activity.questions.end(),
                    [&](const Message& open) { return open.msg_id == message.msg_id; });
    if (is_known || activity.questions.size() == kOpenQuestionsMax) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         is_known ? "msg_id " + std::to_string(*message.msg_id) +
                                        " is that of a question which is still open"
                                  : "an operation has more than " +
                                        std::to_string(kOpenQuestionsMax) + " questions open");
    }
    note_time(message);
    if (!message.local.empty()) {
        activity.answers = message.local;
    }
    activity.questions.push_back(std::move(message));
}

void SteppedRun::note_time(const Message& message) {
    uses_time_ = uses_time_ || message.kind == MessageKind::kNow || message.ttl ||
                 message.sees_clock ||
                 std::any_of(message.steps.begin(), message.steps.end(),
                             [](const Message& step) { return step.ttl.has_value(); });
    ledger_.tally.asks_time = ledger_.tally.asks_time || uses_time_;
}

// Hears the first line after an atomic step was shown its keys: the commit. Nobody else has taken a
// step since.
Message SteppedRun::hear_commit(const Activity& activity) {
    Message message = program_.next();
    if (message.kind != MessageKind::kCommit || !message.more) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         message.kind == MessageKind::kCommit
                             ? "a commit that says that nothing more follows"
                             : "an atomic step goes on with \"" + quoted_piece(message.type, 40) +
                                   "\" instead of its commit");
    }
    if (*message.op != activity.id) {
        throw Misbehaved(Misbehaviour::kWrongAnswer, "the commit of operation " +
                                                         std::to_string(*message.op) + " where " +
                                                         std::to_string(activity.id) + " goes on");
    }
    note_time(message);
    return message;
}

// Hears an activity for one turn, keeps its questions and returns its answer. The last line of a
// turn does not say that more follow.
std::optional<Message> SteppedRun::hear(Activity& activity, const std::string& name) {
    for (bool more = true; more;) {
        Message message = program_.next();
        more = message.more;
        const bool is_answer = message.in_reply_to.has_value();
        if ((is_answer ? *message.in_reply_to : *message.op) != activity.id) {
            throw Misbehaved(
                Misbehaviour::kWrongAnswer,
                is_answer ? "in_reply_to is " + std::to_string(*message.in_reply_to) + " where " +
                                name + "'s operation " + std::to_string(activity.id) + " goes on"
                          : "\"op\" is " + std::to_string(*message.op) + " where " + name +
                                "'s operation " + std::to_string(activity.id) + " goes on");
        }
        if (is_question(message.kind)) {
            keep_question(activity, std::move(message));
        } else if (is_answer && (more || !activity.questions.empty())) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             more ? name + " answers, and says that more follows"
                                  : name + " answers while it has " +
                                        std::to_string(activity.questions.size()) +
                                        " questions open");
        } else if (is_answer) {
            activity = {};
            return message;
        } else if (message.kind == MessageKind::kCommit) {
            throw Misbehaved(Misbehaviour::kNonsense, name + " commits without an atomic step");
        } else if (activity.questions.empty()) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             name + " waits without a question that is open");
        }
    }
    return std::nullopt;
}

void SteppedRun::hear_of_background(std::size_t index) {
    if (hear(activities_[index], program_.background()[index])) {
        throw Misbehaved(Misbehaviour::kNonsense, "a background activity answers");
    }
    if (activities_[index].questions.size() > 1) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "a background activity has more than one question open");
    }
}

int SteppedRun::client_number(const std::string& name) const {
    for (std::size_t i = 0; i < world_.world.callers.size(); ++i) {
        if (world_.world.callers[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

// Does one of the activity's questions and answers it; does not hear its next turn. `text`: the
// question, for reports.
SharedState::Answer SteppedRun::answer_question(Activity& activity, std::size_t place,
                                                std::size_t actor,
                                                std::optional<std::uint8_t> sender,
                                                std::string& text) {
    constexpr int kFinalClient = 255;  // the client of the final look, who is never seen to die
    // If several are open, the one answered decides how the operation goes on.
    activity.answers += activity.questions.size() > 1 ? std::to_string(place) + ":" : "";
    const auto asked = activity.questions.begin() + static_cast<std::ptrdiff_t>(place);
    const Message question = std::move(*asked);
    activity.questions.erase(asked);
    int client = kFinalClient;
    if (question.kind == MessageKind::kMonitor) {
        client = client_number(question.client);
        if (client < 0 && !question.client.starts_with(kProbeName)) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             "monitors " + quoted_piece(question.client, 40) + ", who is nobody");
        }
        client = client < 0 ? kFinalClient : client;
    }
    const bool dead = client != kFinalClient && callers_[static_cast<std::size_t>(client)].dead;
    SharedState::Answer answer =
        shared_.apply(question, static_cast<std::uint8_t>(actor), sender, client, dead);
    activity.answers += answer.type + answer.more + "\n";
    program_.answer(question, answer.type, answer.more);
    if (question.kind == MessageKind::kAtomic) {
        answer.text = shared_.commit(question, hear_commit(activity));
    }
    text += ": " + question.describe();
    return answer;
}

}  // namespace lockkeeper

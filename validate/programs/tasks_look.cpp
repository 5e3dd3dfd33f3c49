// SPDX-License-Identifier: Apache-2.0

// The look at the end of a run: fresh clients of the same loop take what is free, one after the
// other. A client whose call waits, although nothing is left that the loop could do and its timers
// have fired, is refused.
#include <algorithm>

#include "validate/programs/tasks_run.hpp"

namespace lockkeeper {

// What is ready comes first, then what comes from outside, then time.
std::optional<Action> TasksRun::next_in_look(std::int64_t& timers) const {
    std::vector<Action> possible;
    add_choices(possible);
    if (!possible.empty()) {
        return possible.front();
    }
    for (const Choice& choice : choices_.choices) {
        if (choice.kind == ChoiceKind::kTimer && timers < kTimersOfLookMax) {
            ++timers;
            return Action{0, ActionKind::kTime, choice.id};
        }
    }
    return std::nullopt;
}

// Runs what is ready. What it does is no step of its own.
void TasksRun::settle() {
    for (std::uint64_t steps = 0; has(ChoiceKind::kRun) && steps < kProbeStepsMax; ++steps) {
        const auto ready =
            std::find_if(choices_.choices.begin(), choices_.choices.end(),
                         [](const Choice& choice) { return choice.kind == ChoiceKind::kRun; });
        say(Choice(*ready));
        static_cast<void>(hear());
    }
}

TasksRun::Probed TasksRun::probe(const Operation& view) {
    const std::string client = probe_name(got_[view.key].grants);
    const Action of_client{static_cast<std::uint8_t>(callers_.size()), ActionKind::kStep, 0};
    std::optional<Message> answer;
    asked_by_look_ = say_operation(program_, world_.world, client, view, std::nullopt);
    static_cast<void>(hear(&answer));
    std::string text = client + " acquire";
    Action action = of_client;
    std::int64_t timers = 0;
    for (std::uint64_t steps = 0; !answer; ++steps) {
        const auto next = next_in_look(timers);
        if (!next || steps == kProbeStepsMax) {
            asked_by_look_ = -1;
            show_in_look(action, text, "");
            show_in_look(of_client, client + " acquire", "-> waits for ever");
            return Probed::kRefused;
        }
        show_in_look(action, text, "");
        const Choice choice = choice_of(*next);
        action = *next;
        text = choice.name;
        say(choice);
        static_cast<void>(hear(&answer));
        text = choices_.did.empty() ? text : choices_.did;
    }
    refuse_stray(*answer, "acquire", client);
    settle();
    const bool is_granted = answer->kind == MessageKind::kAnswer;
    got_[view.key].grants += is_granted ? 1 : 0;
    show_in_look(action, text,
                 "-> " + client + " " +
                     (is_granted                 ? "acquired"
                      : is_refusal(answer->code) ? "full"
                                                 : "error " + std::to_string(answer->code)) +
                     why_of(*answer));
    return is_granted                        ? Probed::kAcquired
           : is_definite_error(answer->code) ? Probed::kRefused
                                             : Probed::kNobodyKnows;
}

// A client that was refused has let time pass; another one would be refused again.
Source::Asked TasksRun::ask_fresh(const Operation& view, const Asking& asking, Look /*how*/) {
    Got& got = got_[view.key];
    Asked asked;
    while (asked.granted < static_cast<std::int64_t>(asking.most) && !got.was_refused) {
        const Probed probed = probe(view);
        asked.granted += probed == Probed::kAcquired ? 1 : 0;
        asked.is_unknown = probed == Probed::kNobodyKnows;
        got.was_refused = probed != Probed::kAcquired;
    }
    return asked;
}

std::size_t TasksRun::still_held(const LookedAt& key) { return got_[key.view.key].grants; }

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The look at the end of a run: a fresh client takes what is free. A place too few is a leak, a
// place too many was released twice. Reports show the client's steps.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

void SteppedRun::note_probe_step(const Step& step, std::size_t actor) {
    const bool is_probe = actor == callers_.size() + activities_.size();
    const Action action{
        static_cast<std::uint8_t>(is_probe ? callers_.size() : actor - callers_.size()),
        is_probe ? ActionKind::kStep : ActionKind::kBackground, 0};
    show_in_look(action, step.text, step.result);
}

// Runs activities until each of them waits; takes the sender with the smallest number first.
void SteppedRun::settle(std::uint64_t& steps) {
    for (std::size_t i = 0; i < activities_.size();) {
        std::vector<Action> possible;
        add_steps(i, possible);
        if (possible.empty() || ++steps > kProbeStepsMax) {
            ++i;
        } else {
            note_probe_step(
                step_of_activity(i, static_cast<std::uint8_t>(possible.front().argument)),
                callers_.size() + i);
            i = 0;
        }
    }
}

SteppedRun::Probed SteppedRun::probe_acquires(const Operation& view) {
    const std::size_t actor = callers_.size() + activities_.size();
    const std::string client = probe_name(got_[view.key].until.size());
    const std::string name = client + " acquire";
    Activity activity;
    activity.id = say_operation(program_, world_.world, client, view, std::nullopt);
    std::uint64_t steps = 0;
    Step step;
    step.text = name;
    auto answer = hear(activity, client);
    while (!answer) {
        settle(steps);
        const std::vector<Message>& questions = activity.questions;
        const auto free =
            std::find_if(questions.begin(), questions.end(),
                         [&](const Message& open) { return !shared_.is_blocked(open); });
        if (free == questions.end() || ++steps > kProbeStepsMax) {
            program_.tell_crash(client);
            step.text = name + ": " + questions.front().describe();
            step.result = "-> waits for ever";
            note_probe_step(step, actor);
            return Probed::kRefused;
        }
        step = {};
        step.text = name;
        const auto place = static_cast<std::size_t>(free - questions.begin());
        step.result = "-> " + answer_question(activity, place, actor, std::nullopt, step.text).text;
        answer = hear(activity, client);
        if (!answer) {
            note_probe_step(step, actor);
        }
    }
    const bool is_granted = answer->kind == MessageKind::kAnswer;
    if (is_granted) {
        got_[view.key].until.push_back(answer->until);
        if (answer->until) {
            ledger_.note_lease(view.key);
        }
    }
    const std::string told = is_granted                 ? "acquired"
                             : is_refusal(answer->code) ? "full"
                                                        : "error " + std::to_string(answer->code);
    step.result =
        step.result.empty() || step.result == "-> ok" ? "-> " + told : step.result + ", " + told;
    note_probe_step(step, actor);
    settle(steps);
    return is_granted                        ? Probed::kAcquired
           : is_definite_error(answer->code) ? Probed::kRefused
                                             : Probed::kNobodyKnows;
}

void SteppedRun::pass_time(std::int64_t until) {
    shared_.set_clock(until);
    for (auto& [key, got] : got_) {
        std::erase_if(got.until, [&](const std::optional<std::int64_t>& end) {
            return end && shared_.clock() >= *end;
        });
    }
    const auto shown = std::min<std::int64_t>(until / world_.tick_width, UINT16_MAX);
    show_in_look({0, ActionKind::kTime, static_cast<std::uint16_t>(shown)}, "time passes", "");
}

// Moves the clock to the moment at which nobody believes any more to hold with a time limit.
void SteppedRun::pass_ends(Look /*how*/) {
    std::int64_t last = shared_.clock();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (const BelievedHolding& holding : callers_[i].held) {
            if (holding.until && ledger_.believes(i, holding) &&
                *holding.until <= time_of(i) + kFinalTicksMax) {
                last = std::max(last, shared_.clock() + *holding.until - time_of(i));
            }
        }
    }
    if (last > shared_.clock()) {
        pass_time(last);
    }
}

std::size_t SteppedRun::still_held(const LookedAt& key) { return got_[key.view.key].until.size(); }

// If `asking.waits`, asks until all is granted or asking again does not help. Growing pauses find
// locks that grant only a repeated request. Look::kShownShort is one pause, which reads better.
Source::Asked SteppedRun::ask_fresh(const Operation& view, const Asking& asking, Look how) {
    Got& got = got_[view.key];
    const std::size_t before = got.until.size();
    const std::int64_t last = shared_.clock() + kFinalTicksMax;
    std::int64_t pause = how == Look::kShownShort ? kFinalTicksMax : 1;
    Asked asked;
    while (got.until.size() < before + asking.most && (!asking.waits || uses_time_)) {
        // A request at this same moment would be refused again.
        const Probed probed =
            got.refused_at == shared_.clock() ? Probed::kRefused : probe_acquires(view);
        asked.is_unknown = probed == Probed::kNobodyKnows;
        if (probed == Probed::kRefused) {
            got.refused_at = shared_.clock();
        }
        if (asked.is_unknown ||
            (probed == Probed::kRefused && (!asking.waits || shared_.clock() >= last))) {
            break;
        }
        if (probed == Probed::kRefused) {
            pass_time(shared_.clock() + pause);
            pause *= 2;
        }
    }
    asked.granted = static_cast<std::int64_t>(got.until.size()) - static_cast<std::int64_t>(before);
    return asked;
}

}  // namespace lockkeeper

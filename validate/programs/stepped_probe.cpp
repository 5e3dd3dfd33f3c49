// SPDX-License-Identifier: Apache-2.0

// The look at the end of a run: a fresh client takes what is free. What it gets too little is a
// leak, what it gets too much was released twice. Its steps are kept for reports.
#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

void SteppedRun::note_probe_step(const Step& step, std::size_t actor) {
    const bool is_probe = actor == callers_.size() + activities_.size();
    const Action action{
        static_cast<std::uint8_t>(is_probe ? callers_.size() : actor - callers_.size()),
        is_probe ? ActionKind::kStep : ActionKind::kBackground, 0};
    probe_steps_.push_back({action, {}, step.text, step.result, describe(), {}});
}

// Activities until each of them waits; the sender with the smallest number first.
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
    const std::string name = std::string(kProbeName) + " acquire";
    Activity activity;
    activity.id = say_operation(program_, world_.world, kProbeName, view, std::nullopt);
    std::uint64_t steps = 0;
    Step step;
    step.text = name;
    auto answer = hear(activity, kProbeName);
    while (!answer) {
        settle(steps);
        const std::vector<Message>& questions = activity.questions;
        const auto free =
            std::find_if(questions.begin(), questions.end(),
                         [&](const Message& open) { return !shared_.is_blocked(open); });
        if (free == questions.end() || ++steps > kProbeStepsMax) {
            program_.tell_crash(kProbeName);
            step.text = name + ": " + questions.front().describe();
            step.result = "-> waits for ever";
            note_probe_step(step, actor);
            return Probed::kRefused;
        }
        step = {};
        step.text = name;
        const auto place = static_cast<std::size_t>(free - questions.begin());
        step.result = "-> " + answer_question(activity, place, actor, std::nullopt, step.text).text;
        answer = hear(activity, kProbeName);
        if (!answer) {
            note_probe_step(step, actor);
        }
    }
    const bool is_granted = answer->kind == MessageKind::kAnswer;
    if (is_granted) {
        probe_held_.push_back(answer->until);
        leased_[view.key] = leased_[view.key] || answer->until.has_value();
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
    std::erase_if(probe_held_, [&](const std::optional<std::int64_t>& end) {
        return end && shared_.clock() >= *end;
    });
    const auto shown = std::min<std::int64_t>(until / world_.tick_width, UINT16_MAX);
    probe_steps_.push_back({{0, ActionKind::kTime, static_cast<std::uint16_t>(shown)},
                            {},
                            "time passes",
                            "",
                            describe(),
                            {}});
}

// Up to the moment at which nobody believes any more to hold the key for a time.
void SteppedRun::pass_time_limits(std::uint8_t key) {
    std::int64_t last = shared_.clock();
    for (const Caller& caller : callers_) {
        for (const BelievedHolding& holding : caller.held) {
            if (holding.operation.key == key && holding.until && believes(caller, holding) &&
                *holding.until <= time_of(caller) + kFinalTicksMax) {
                last = std::max(last, shared_.clock() + *holding.until - time_of(caller));
            }
        }
    }
    if (last > shared_.clock()) {
        pass_time(last);
    }
}

void SteppedRun::probe_key(std::uint8_t key, const Operation& view, Pauses pauses) {
    const std::uint32_t capacity = view.capacity();
    probe_held_.clear();
    if (!world_.gives_up_at_end) {
        pass_time_limits(key);
    } else if (leased_[key]) {
        return;
    }
    const std::uint32_t held = held_count(key);
    if (held >= capacity) {
        return;
    }
    const std::int64_t last = shared_.clock() + kFinalTicksMax;
    std::int64_t pause = pauses == Pauses::kOne ? kFinalTicksMax : 1;
    // Of a lock with a time limit the first grant may be over while the last one is asked for.
    bool judges_more = !leased_[key];
    const auto taken = [&] { return held + static_cast<std::uint32_t>(probe_held_.size()); };
    while (taken() < capacity || (judges_more && taken() == capacity)) {
        const Probed probed = probe_acquires(view);
        if (probed == Probed::kNobodyKnows) {
            return;
        }
        if (probed == Probed::kAcquired) {
            judges_more = judges_more && !leased_[key];
            continue;
        }
        if (taken() >= capacity || !uses_time_ || world_.gives_up_at_end ||
            shared_.clock() >= last) {
            break;
        }
        judges_more = false;
        pass_time(shared_.clock() + pause);
        pause *= 2;
    }
    if (taken() > capacity) {
        note(PropertyNumber::kDoubleRelease);
    } else if (taken() + doubtful_count(key) < capacity) {
        note(PropertyNumber::kLeak);
    }
}

void SteppedRun::probe(Pauses pauses) {
    LOCKKEEPER_CHECK(at_rest());
    judge_history(true);
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        const auto number = static_cast<std::uint8_t>(key);
        const auto view = widest_acquire(world_.world, number, world_.world.views[view_]);
        if (view) {
            probe_key(number, *view, pauses);
        }
    }
}

}  // namespace lockkeeper

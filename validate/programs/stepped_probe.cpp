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
    const std::string client = probe_name(probe_held_.size());
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
        probe_held_.push_back(answer->until);
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

// Up to the moment at which nobody believes any more to hold the key for a time. True: there was
// one.
bool SteppedRun::pass_time_limits(std::uint8_t key) {
    std::int64_t last = shared_.clock();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (const BelievedHolding& holding : callers_[i].held) {
            if (holding.operation.key == key && holding.until && ledger_.believes(i, holding) &&
                *holding.until <= time_of(i) + kFinalTicksMax) {
                last = std::max(last, shared_.clock() + *holding.until - time_of(i));
            }
        }
    }
    const bool passes = last > shared_.clock();
    if (passes) {
        pass_time(last);
    }
    return passes;
}

// Held by a caller, or by the client of this look.
std::uint32_t SteppedRun::taken_count(std::uint8_t key, std::uint32_t capacity) const {
    return ledger_.places_held(key, capacity) + static_cast<std::uint32_t>(probe_held_.size());
}

// At this moment one more is asked for than is free: what is got then was given back twice. Later,
// when every time limit is over, nobody but this client holds, and it gets all, or it was lost.
void SteppedRun::probe_key(std::uint8_t key, const Operation& view, Pauses pauses) {
    const std::uint32_t capacity = view.capacity();
    probe_held_.clear();
    if (world_.gives_up_at_end && (ledger_.is_lease(key) || ledger_.held_count(key) >= capacity)) {
        return;
    }
    Probed probed = Probed::kAcquired;
    while (probed == Probed::kAcquired && taken_count(key, capacity) <= capacity) {
        probed = probe_acquires(view);
    }
    if (probed != Probed::kNobodyKnows) {
        ledger_.decide(PropertyNumber::kDoubleRelease);
    }
    if (taken_count(key, capacity) > capacity) {
        ledger_.note(PropertyNumber::kDoubleRelease);
    }
    if (probed == Probed::kAcquired) {
        return;
    }
    const bool is_known =
        probed == Probed::kRefused && (world_.gives_up_at_end || probe_later(key, view, pauses));
    if (is_known) {
        ledger_.decide(PropertyNumber::kLeak);
    } else {
        ledger_.tally.leave_open(PropertyNumber::kLeak, kLookMayHaveMore);
    }
    if (is_known && taken_count(key, capacity) < capacity) {
        ledger_.note(PropertyNumber::kLeak);
    }
}

// When all time limits are over: until all is got, or asking again and again does not help. False:
// nobody knows what was got.
bool SteppedRun::probe_later(std::uint8_t key, const Operation& view, Pauses pauses) {
    // Where nothing has ended since, it was refused at this very moment.
    Probed probed = pass_time_limits(key) ? Probed::kAcquired : Probed::kRefused;
    const std::int64_t last = shared_.clock() + kFinalTicksMax;
    std::int64_t pause = pauses == Pauses::kOne ? kFinalTicksMax : 1;
    while (uses_time_ && probed != Probed::kNobodyKnows &&
           taken_count(key, view.capacity()) < view.capacity()) {
        if (probed == Probed::kRefused && shared_.clock() >= last) {
            return true;
        }
        if (probed == Probed::kRefused) {
            pass_time(shared_.clock() + pause);
            pause *= 2;
        }
        probed = probe_acquires(view);
    }
    return probed != Probed::kNobodyKnows;
}

void SteppedRun::probe(Pauses pauses) {
    LOCKKEEPER_CHECK(at_rest());
    ledger_.finish();
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        const auto number = static_cast<std::uint8_t>(key);
        const auto view = widest_acquire(world_.world, number, world_.world.views[view_]);
        if (view) {
            probe_key(number, *view, pauses);
        }
    }
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Exploring: depth first, in rounds whose bounds grow.
#include <algorithm>

#include <fmt/format.h>

#include "validate/outside/search.hpp"

namespace lockkeeper {
namespace {

std::string actions_text(const std::vector<Action>& actions) {
    std::string out;
    for (const Action action : actions) {
        out += (out.empty() ? "" : " ") + to_text(action);
    }
    return out.empty() ? "nothing" : out;
}

}  // namespace

bool OutsideSearch::Frame::sleeps(Action action) const {
    return std::any_of(asleep.begin(), asleep.end(),
                       [&](const Taken& other) { return other.action == action; });
}

// Runs with no fault or one come before the many runs with several. Where faults cannot be counted,
// few interruptions come first.
std::vector<OutsideSearch::Bounds> OutsideSearch::rounds() {
    const std::uint32_t most = options_.preemptions_max.value_or(kNoBound);
    if (source_.counts_faults()) {
        return {{most, 0}, {most, 1}, {most, kNoBound}};
    }
    std::vector<Bounds> rounds;
    for (const std::uint32_t few : {0U, 1U}) {
        if (few < most) {
            rounds.push_back({few, kNoBound});
        }
    }
    rounds.push_back({most, kNoBound});
    return rounds;
}

void OutsideSearch::explore() {
    const std::vector<Bounds> all = rounds();
    for (auto round = all.begin(); round != all.end(); ++round) {
        const bool is_last = round + 1 == all.end();
        // Where states are known again, exploring everything costs little more than this round.
        if (!is_last && round->preemptions == 1 && source_.knows_states()) {
            continue;
        }
        source_.allow_faults(round->faults);
        const bool whole = explore_round(*round);
        const bool lacks_faults = source_.ran_out_of_faults();
        // Without a bound on faults, only moments of time can be missing.
        if (whole && (!lacks_faults || round->faults == kNoBound)) {
            result_.preemptions_done = round->preemptions;
            result_.complete = !pruned_ && !ends_early_ && !lacks_faults;
        }
        if (!whole ||
            (!lacks_faults && (!pruned_ || all.back().preemptions == round->preemptions))) {
            break;
        }
    }
    source_.allow_faults(kNoBound);
}

// True: everything within the bounds was looked at.
bool OutsideSearch::explore_round(const Bounds& bounds) {
    frames_.clear();
    known_.clear();
    pruned_ = ends_early_ = false;
    do {
        if (should_stop()) {
            return false;
        }
        guarded([&] { go_on(bounds); });
        if (result_.finding || !result_.diverged.empty() || stopped_) {
            return false;
        }
    } while (next_choice());
    result_.states = known_.size();
    return true;
}

bool OutsideSearch::was_seen(const Bounds& bounds) {
    if (!source_.knows_states()) {
        return false;
    }
    std::string key = source_.key();
    KnownStates::Left left{bounds.preemptions, options_.steps_max - frames_.size()};
    if (bounds.preemptions != kNoBound && !frames_.empty()) {
        Frame now;
        follow(frames_.back(), now);
        left.preemptions -= now.preemptions;
        // The last step decides which party may go on without counting as an interruption.
        key += now.last ? to_text(*now.last) : "";
    }
    return known_.was_seen(std::move(key), left, actions_);
}

// Prepares the frame after the step of `before`: sleeping steps that commute with it sleep on.
void OutsideSearch::follow(const Frame& before, Frame& frame) const {
    const bool cuts_in = before.interrupts && is_step(before.taken()) &&
                         !source_.same_party(*before.last, before.taken());
    frame.last = is_step(before.taken()) ? std::optional(before.taken()) : before.last;
    frame.preemptions = before.preemptions + (cuts_in ? 1U : 0U);
    for (const std::vector<Taken>* taken : {&before.asleep, &before.done}) {
        std::copy_if(taken->begin(), taken->end(), std::back_inserter(frame.asleep),
                     [&](const Taken& other) { return commute(other.effect, before.effect); });
    }
}

OutsideSearch::Frame OutsideSearch::make_frame(std::vector<Action> enabled, const Bounds& bounds) {
    Frame frame;
    if (!frames_.empty()) {
        follow(frames_.back(), frame);
    }
    const auto goes_on = [&](Action action) {
        return frame.last && source_.same_party(*frame.last, action);
    };
    frame.interrupts = frame.last && source_.is_inside(*frame.last) &&
                       std::any_of(enabled.begin(), enabled.end(), goes_on);
    for (const Action action : enabled) {
        const bool costs = frame.interrupts && is_step(action) && !goes_on(action);
        if (costs && frame.preemptions >= bounds.preemptions) {
            pruned_ = true;
        } else if (!frame.sleeps(action)) {
            frame.choices.push_back(action);
        }
    }
    std::stable_partition(frame.choices.begin(), frame.choices.end(), goes_on);
    frame.enabled = std::move(enabled);
    if (has_sources()) {
        choose_source(frame);
    }
    frame.seen = source_.seen();
    frame.fingerprint = source_.fingerprint();
    return frame;
}

void OutsideSearch::take_in_frame(Frame& frame) {
    const bool is_new = frame.shown.empty();
    OutsideStep step = take(frame.taken());
    if (!is_new && (shown_.back() != frame.shown || step.bytes != frame.bytes)) {
        throw DifferentAnswer(fmt::format(
            "step {}: first \"{}\", then \"{}\"{}", actions_.size(), frame.shown, shown_.back(),
            shown_.back() == frame.shown ? ", with other bytes on the wire" : ""));
    }
    frame.shown = shown_.back();
    frame.bytes = step.bytes;
    frame.effect = std::move(step.effect);
    if (!may_reduce()) {
        frame.effect.events |= StepEffect::kEverything;  // commutes with nothing
    }
    if (is_new && has_sources()) {
        find_races();
    }
}

// Repeats the decisions so far, with the new one at their end.
void OutsideSearch::run_frames() {
    for (std::size_t depth = 0; depth < frames_.size(); ++depth) {
        Frame& frame = frames_[depth];
        const std::vector<Action> enabled = source_.enabled();
        if (enabled != frame.enabled || source_.fingerprint() != frame.fingerprint) {
            throw DifferentAnswer(fmt::format(
                "after the same {} steps: first {}, possible {}; then {}, possible {}", depth,
                frame.seen, actions_text(frame.enabled), source_.seen(), actions_text(enabled)));
        }
        if (frame.shown.empty()) {
            static_cast<void>(source_.take_tally());  // drops what has been counted already
        }
        take_in_frame(frame);
    }
}

void OutsideSearch::go_on(const Bounds& bounds) {
    run_frames();
    for (;;) {
        if (source_.has_shorter_twin()) {
            was_cut_ = true;
            return;
        }
        std::vector<Action> enabled = source_.enabled();
        if (is_over(frames_.size(), enabled) == AtEnd::kYes || was_seen(bounds)) {
            return;
        }
        Frame frame = make_frame(std::move(enabled), bounds);
        if (frame.choices.empty()) {
            was_cut_ = !frame.asleep.empty();
            return;
        }
        frames_.push_back(std::move(frame));
        take_in_frame(frames_.back());
    }
}

bool OutsideSearch::next_choice() {
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (source_.shows_effects()) {
            frame.done.push_back({frame.taken(), std::move(frame.effect)});
        }
        frame.shown.clear();
        if (++frame.chosen < frame.choices.size()) {
            return true;
        }
        frames_.pop_back();
    }
    return false;
}

}  // namespace lockkeeper

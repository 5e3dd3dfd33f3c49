// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/wire_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/schedule.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/programs/random_steps.hpp"

namespace lockkeeper::wire {
namespace {

std::string actions_text(const std::vector<Action>& actions) {
    std::string out;
    for (const Action action : actions) {
        out += (out.empty() ? "" : " ") + to_text(action);
    }
    return out.empty() ? "nothing" : out;
}

}  // namespace

WireSearch::WireSearch(Wire& wire, const OutsideWorld& world, const WireScope& scope,
                       WireSearchOptions options)
    : wire_(wire), run_(wire, world, scope), options_(std::move(options)) {}

double WireSearch::seconds() const {
    return std::chrono::duration<double>(ChildProcess::Clock::now() - started_).count();
}

bool WireSearch::should_stop() {
    if (result_.finding || !result_.diverged.empty()) {
        return true;
    }
    if (has_waited(result_)) {
        return true;
    }
    // Exploring leaves half to random schedules.
    result_.is_cut =
        interrupt_requested() || stopped_ || seconds() >= options_.seconds_max / (shares_ ? 2 : 1);
    if (result_.is_cut) {
        result_.limit = interrupt_requested() ? "interrupted" : "time";
        return true;
    }
    const std::uint64_t most = options_.schedules_max;
    if (result_.schedules + result_.reduced >= (shares_ ? (most + 1) / 2 : most)) {
        result_.limit = "schedules";
        return true;
    }
    return false;
}

void WireSearch::give_up() {
    for (std::size_t caller = 0; caller < wire_.callers(); ++caller) {
        wire_.kill(caller);
    }
}

void WireSearch::begin_run() {
    if (!is_warm_) {
        run_.warm_up();
        is_warm_ = true;
    }
    run_.begin();
}

// One schedule, whatever it comes to.
void WireSearch::guarded(const std::function<void()>& run) {
    actions_.clear();
    shown_.clear();
    is_probing_ = was_cut_ = false;
    began_ = seconds();
    ++result_.schedules;
    try {
        begin_run();
        run();
    } catch (const Misbehaved& error) {
        give_up();
        if (is_input(error.kind())) {
            throw;
        }
        result_.finding = {nullptr, error.kind(), error.what(), actions_,
                           shown_,  found_by_,    is_probing_};
    } catch (const DifferentAnswer& error) {
        give_up();
        result_.diverged = error.what();
    } catch (const Stopped&) {
        give_up();
        stopped_ = true;
        --result_.schedules;
    }
    result_.tally += run_.take_tally();
    if (was_cut_) {
        --result_.schedules;
        ++result_.reduced;
        result_.reduced_seconds += seconds() - began_;
    } else if (options_.on_outcome && !stopped_) {
        options_.on_outcome(outcome_);
    }
    if (options_.on_schedule) {
        options_.on_schedule(actions_);
    }
    if (first_.actions.empty()) {
        first_ = {nullptr, std::nullopt, "", actions_, shown_, found_by_, is_probing_};
    }
    if (options_.progress) {
        options_.progress({result_.schedules, result_.steps, seconds()});
    }
}

void WireSearch::found(const Property* property) {
    take_finding({property, std::nullopt, "", actions_, shown_, found_by_, is_probing_},
                 run_.world(), result_);
}

WireRun::Step WireSearch::take(Action action) {
    actions_.push_back(action);
    ++result_.steps;
    WireRun::Step step = run_.take(action);
    shown_.push_back(shown_step(step.text, step.result));
    return step;
}

// After each step: is the run at its end?
WireSearch::AtEnd WireSearch::look(std::size_t depth, const std::vector<Action>& enabled) {
    if (run_.violated().empty() && run_.is_deadlock(enabled)) {
        run_.note_deadlock();
    }
    const bool looks_at_ends = options_.on_outcome != nullptr;
    if (looks_at_ends && enabled.empty()) {
        outcome_ = run_.outcome();
    }
    if ((looks_at_ends || run_.violated().empty()) && enabled.empty() && run_.finished()) {
        is_probing_ = true;
        run_.probe(false);
    }
    AnswerCounts& counts = result_.tally.answers;
    if ((!looks_at_ends && !run_.violated().empty()) || enabled.empty()) {
        ++counts.runs;
        if (looks_at_ends) {
            for (const Property* property : run_.violated()) {
                outcome_ += " " + std::string(property->name);
            }
        } else if (!run_.violated().empty()) {
            found(run_.violated().front());
        } else if (!run_.finished()) {
            ++result_.tally.runs_out_of_time;
        }
        return AtEnd::kYes;
    }
    if (depth >= options_.steps_max) {
        ++counts.runs;
        ++counts.cut_runs;
        return AtEnd::kYes;
    }
    return AtEnd::kNo;
}

WireSearch::Frame WireSearch::make_frame(std::vector<Action> enabled) {
    Frame frame;
    if (!frames_.empty()) {
        const Frame& before = frames_.back();
        const Action taken = before.choices[before.chosen];
        frame.last = is_step(taken) ? std::optional(taken) : before.last;
        frame.preemptions = before.preemptions;
        const auto goes_on = [&](const Taken& other) {
            return commute(other.effect, before.effect);
        };
        std::copy_if(before.asleep.begin(), before.asleep.end(), std::back_inserter(frame.asleep),
                     goes_on);
        std::copy_if(before.done.begin(), before.done.end(), std::back_inserter(frame.asleep),
                     goes_on);
    }
    const std::uint32_t bound = options_.preemptions_max.value_or(UINT32_MAX);
    const auto same_caller = [&](Action action) {
        return frame.last && is_step(action) && action.actor == frame.last->actor;
    };
    const bool interrupts = std::any_of(enabled.begin(), enabled.end(), same_caller);
    for (const Action action : enabled) {
        const bool sleeps = std::any_of(frame.asleep.begin(), frame.asleep.end(),
                                        [&](const Taken& other) { return other.action == action; });
        const bool costs = interrupts && is_step(action) && !same_caller(action);
        if (costs && frame.preemptions >= bound) {
            pruned_ = true;
        } else if (!sleeps) {
            frame.choices.push_back(action);
        }
    }
    std::stable_partition(frame.choices.begin(), frame.choices.end(), same_caller);
    frame.enabled = std::move(enabled);
    if (has_sources()) {
        choose_source(frame);
    }
    frame.seen = run_.questions();
    return frame;
}

void WireSearch::take_in_frame(Frame& frame) {
    const bool is_new = frame.shown.empty();
    WireRun::Step step = take(frame.choices[frame.chosen]);
    if (!is_new && (shown_.back() != frame.shown || step.bytes != frame.bytes)) {
        throw DifferentAnswer(fmt::format(
            "step {}: first \"{}\", then \"{}\"{}", actions_.size(), frame.shown, shown_.back(),
            shown_.back() == frame.shown ? ", with other bytes on the wire" : ""));
    }
    frame.shown = shown_.back();
    frame.bytes = step.bytes;
    frame.effect = std::move(step.effect);
    if (!options_.reduces || options_.preemptions_max) {
        frame.effect.events |= StepEffect::kEverything;  // commutes with nothing
    }
    if (is_new && has_sources()) {
        find_races();
    }
}

// The decisions so far once more, and the new one at their end.
void WireSearch::run_frames() {
    for (std::size_t depth = 0; depth < frames_.size(); ++depth) {
        Frame& frame = frames_[depth];
        if (run_.enabled() != frame.enabled || run_.questions() != frame.seen) {
            throw DifferentAnswer(
                fmt::format("after the same {} steps: first {}, possible {}; then {}, possible {}",
                            depth, frame.seen, actions_text(frame.enabled), run_.questions(),
                            actions_text(run_.enabled())));
        }
        if (frame.shown.empty()) {
            (void)run_.take_tally();  // of what has been counted
        }
        take_in_frame(frame);
    }
}

void WireSearch::go_on() {
    run_frames();
    for (;;) {
        std::vector<Action> enabled = run_.enabled();
        if (look(frames_.size(), enabled) == AtEnd::kYes) {
            return;
        }
        Frame frame = make_frame(std::move(enabled));
        if (frame.choices.empty()) {
            was_cut_ = true;
            return;
        }
        frames_.push_back(std::move(frame));
        take_in_frame(frames_.back());
    }
}

bool WireSearch::next_choice() {
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        frame.done.push_back({frame.choices[frame.chosen], std::move(frame.effect)});
        frame.shown.clear();
        if (++frame.chosen < frame.choices.size()) {
            return true;
        }
        frames_.pop_back();
    }
    return false;
}

// Few faults first: what needs none, or one, is found before the many runs with several.
void WireSearch::explore() {
    constexpr std::uint32_t kFirstRounds[] = {0, 1, UINT32_MAX};
    for (const std::uint32_t faults : kFirstRounds) {
        run_.allow_faults(faults);
        const bool whole = explore_round();
        if (!whole || !run_.ran_out_of_faults()) {
            result_.complete = whole && !pruned_ && result_.tally.answers.cut_runs == 0 &&
                               result_.tally.runs_out_of_time == 0;
            return;
        }
    }
}

// True: everything was looked at.
bool WireSearch::explore_round() {
    frames_.clear();
    pruned_ = false;
    result_.tally.runs_out_of_time = 0;
    for (;;) {
        if (should_stop()) {
            return false;
        }
        guarded([&] { go_on(); });
        if (result_.finding || !result_.diverged.empty() || stopped_) {
            return false;
        }
        if (!next_choice()) {
            return true;
        }
    }
}

void WireSearch::take_known() {
    result_.finding = try_known(options_.corpus);
    result_.limit = result_.finding ? "first violation" : "";
    result_.schedules = result_.finding ? 1 : 0;
    static_cast<void>(run_.take_tally());
    stop_by({deadline()});
}

SteppedResult WireSearch::search() {
    result_ = {};
    first_ = {};
    forget_hidden();
    started_ = ChildProcess::Clock::now();
    stopped_ = false;
    wire_.stop_by({deadline()});
    shares_ = options_.method == SteppedMethod::kBoth;
    take_known();
    if (options_.method != SteppedMethod::kRandom) {
        found_by_ = "exploring";
        explore();
        if (result_.complete) {
            result_.preemptions_done = options_.preemptions_max.value_or(UINT32_MAX);
        }
    }
    run_.allow_faults(UINT32_MAX);
    if (shares_ && !result_.complete) {
        result_.explored_first = {result_.schedules, result_.limit};
    }
    shares_ = false;
    result_.limit = result_.finding ? result_.limit : "";
    result_.is_cut = false;
    if (options_.method != SteppedMethod::kExplore && !result_.complete) {
        longest_ = 1;
        for (std::uint64_t number = 0; !should_stop(); ++number) {
            run_drawn(number);
        }
    } else if (!result_.complete) {
        static_cast<void>(should_stop());
    }
    take_hidden(result_);
    result_.calls = run_.calls();
    if (!result_.finding && result_.diverged.empty() && !result_.is_cut && !options_.on_outcome) {
        // A search of few runs repeats nothing: the first of them is run again.
        SteppedTrace first;
        first.probed = first_.in_probe;
        for (const std::string& shown : first_.shown) {
            first.steps.emplace_back().text = shown;
        }
        result_.diverged = repeated_difference(first_, first);
    }
    result_.seconds = seconds();
    return result_;
}

}  // namespace lockkeeper::wire

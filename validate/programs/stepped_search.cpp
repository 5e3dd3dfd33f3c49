// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/stepped_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scheduler/search/explore.hpp"
#include "validate/programs/random_steps.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint32_t kNoBound = UINT32_MAX;

bool same_party(Action left, Action right) {
    return left.kind == right.kind && left.actor == right.actor;
}

}  // namespace

std::string shown_step(const std::string& text, const std::string& result) {
    return result.empty() ? text : text + " " + result;
}

std::vector<std::string> shown_steps(const SteppedTrace& trace) {
    std::vector<std::string> steps;
    for (const TraceStep& step : trace.steps) {
        steps.push_back(shown_step(step.text, step.result));
    }
    return steps;
}

std::string step_difference(const std::vector<std::string>& first,
                            const std::vector<std::string>& then) {
    for (std::size_t i = 0; i < std::max(first.size(), then.size()); ++i) {
        const std::string one = i < first.size() ? "\"" + first[i] + "\"" : "the end of the run";
        const std::string other = i < then.size() ? "\"" + then[i] + "\"" : "the end of the run";
        if (one != other) {
            return fmt::format("step {}: first {}, then {}", i + 1, one, other);
        }
    }
    return "";
}

SteppedSearch::SteppedSearch(Program& program, const OutsideWorld& world, SteppedOptions options)
    : program_(program), run_(program, world), options_(std::move(options)) {}

double SteppedSearch::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

bool SteppedSearch::should_stop() {
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
    if (result_.schedules >=
        (shares_ ? (options_.schedules_max + 1) / 2 : options_.schedules_max)) {
        result_.limit = "schedules";
        return true;
    }
    return false;
}

// For an error that only some runs meet: how to see this one again.
std::string SteppedSearch::where_it_happens() const {
    if (actions_.empty()) {
        return "";
    }
    return fmt::format(
        "; {} the run --replay-choices '{}'",
        is_probing_ ? "in the look at the end of" : fmt::format("step {} of", actions_.size()),
        to_line({options_.seed, actions_}));
}

// One schedule, whatever it comes to.
void SteppedSearch::guarded(const std::function<void()>& run) {
    ++result_.schedules;
    actions_.clear();
    shown_.clear();
    is_probing_ = false;
    try {
        run_.begin();
        run();
    } catch (const Misbehaved& error) {
        program_.kill();
        if (error.kind() == Misbehaviour::kScriptError) {
            throw Misbehaved(error.kind(), error.what() + where_it_happens());
        }
        if (is_input(error.kind())) {
            throw;
        }
        result_.finding = {nullptr, error.kind(), error.what(), actions_,
                           shown_,  found_by_,    is_probing_};
    } catch (const DifferentAnswer& error) {
        program_.kill();
        result_.diverged = error.what();
    } catch (const Stopped&) {
        program_.kill();
        stopped_ = true;
        --result_.schedules;
    }
    result_.tally += run_.take_tally();
    if (result_.schedules == 1) {
        first_ = {nullptr, std::nullopt, "", actions_, shown_, found_by_, is_probing_};
    }
    if (options_.progress) {
        options_.progress({result_.schedules, result_.steps, seconds()});
    }
}

void SteppedSearch::found(const Property* property) {
    take_finding({property, std::nullopt, "", actions_, shown_, found_by_, is_probing_},
                 run_.world(), result_);
}

// The actions are those of the run until then; the steps of the look at the end come after them.
void SteppedSearch::probe() {
    is_probing_ = true;
    run_.probe();
    for (const TraceStep& step : run_.probe_steps()) {
        shown_.push_back(shown_step(step.text, step.result));
    }
}

const std::string& SteppedSearch::take(Action action) {
    actions_.push_back(action);
    ++result_.steps;
    const SteppedRun::Step step = run_.take(action);
    return shown_.emplace_back(shown_step(step.text, step.result));
}

// After each step: is the run at its end?
SteppedSearch::AtEnd SteppedSearch::look(std::size_t depth, const std::vector<Action>& enabled) {
    if (run_.violated().empty() && run_.is_deadlock(enabled)) {
        run_.note_deadlock();
    }
    if (run_.violated().empty() && enabled.empty() && run_.finished()) {
        probe();
    }
    AnswerCounts& counts = result_.tally.answers;
    if (!run_.violated().empty() || enabled.empty()) {
        ++counts.runs;
        if (!run_.violated().empty()) {
            found(run_.violated().front());
        } else if (!run_.finished()) {
            ++result_.tally.runs_out_of_time;  // or else it were a deadlock
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

bool SteppedSearch::was_seen(std::uint32_t bound) {
    if (!program_.is_stateless()) {
        return false;
    }
    const std::uint32_t used = frames_.empty() ? 0 : frames_.back().preemptions;
    const Left left{bound == kNoBound ? kNoBound : bound - used,
                    options_.steps_max - frames_.size()};
    std::string key = run_.key();
    if (bound != kNoBound && !frames_.empty()) {
        // Who may go on without being counted as an interruption.
        const Frame& frame = frames_.back();
        const Action taken = frame.choices[frame.chosen];
        const auto last = is_step(taken) ? std::optional(taken) : frame.last;
        key += last ? to_text(*last) : "";
    }
    const auto found = seen_.find(key);
    if (found != seen_.end()) {
        if (found->second.preemptions >= left.preemptions && found->second.steps >= left.steps) {
            note_again(key);
            return true;
        }
        found->second = left;
        return false;
    }
    if (seen_bytes_ < kSeenBytesMax) {
        seen_bytes_ += key.size() + 64;
        note_first(key);
        seen_.emplace(std::move(key), left);
    }
    return false;
}

SteppedSearch::Frame SteppedSearch::make_frame(std::vector<Action> enabled, std::uint32_t bound) {
    Frame frame;
    if (!frames_.empty()) {
        const Frame& before = frames_.back();
        const Action taken = before.choices[before.chosen];
        frame.last = is_step(taken) ? std::optional(taken) : before.last;
        frame.preemptions = before.preemptions;
    }
    const auto goes_on = [&](Action action) {
        return frame.last && same_party(action, *frame.last);
    };
    const bool interrupts = frame.last && run_.is_inside(*frame.last) &&
                            std::any_of(enabled.begin(), enabled.end(), goes_on);
    for (const Action action : enabled) {
        const bool costs = interrupts && is_step(action) && !goes_on(action);
        if (costs && frame.preemptions >= bound) {
            pruned_ = true;
        } else {
            frame.choices.push_back(action);
        }
    }
    std::stable_partition(frame.choices.begin(), frame.choices.end(), goes_on);
    frame.enabled = std::move(enabled);
    frame.seen = run_.questions() + ", " + run_.describe();
    frame.fingerprint = std::hash<std::string>{}(run_.key());
    return frame;
}

// The decisions so far once more, and the new one at their end.
void SteppedSearch::run_frames() {
    for (std::size_t depth = 0; depth < frames_.size(); ++depth) {
        Frame& frame = frames_[depth];
        if (run_.enabled() != frame.enabled ||
            std::hash<std::string>{}(run_.key()) != frame.fingerprint) {
            throw DifferentAnswer("after the same " + std::to_string(depth) + " steps: first " +
                                  frame.seen + "; then " + run_.questions() + ", " +
                                  run_.describe());
        }
        if (frame.shown.empty()) {
            (void)run_.take_tally();  // of what has been counted
            frame.shown = take(frame.choices[frame.chosen]);
        } else if (const std::string& shown = take(frame.choices[frame.chosen]);
                   shown != frame.shown) {
            throw DifferentAnswer("step " + std::to_string(depth + 1) + ": first \"" + frame.shown +
                                  "\", then \"" + shown + "\"");
        }
    }
}

void SteppedSearch::go_on(std::uint32_t bound) {
    run_frames();
    for (;;) {
        std::vector<Action> enabled = run_.enabled();
        if (look(frames_.size(), enabled) == AtEnd::kYes || was_seen(bound)) {
            return;
        }
        Frame frame = make_frame(std::move(enabled), bound);
        if (frame.choices.empty()) {
            return;
        }
        frames_.push_back(std::move(frame));
        const std::string& shown = take(frames_.back().choices.front());
        frames_.back().shown = shown;
    }
}

bool SteppedSearch::next_choice(std::vector<Frame>& frames) {
    while (!frames.empty() && ++frames.back().chosen >= frames.back().choices.size()) {
        frames.pop_back();
    }
    if (!frames.empty()) {
        frames.back().shown.clear();
    }
    return !frames.empty();
}

// True when everything within the bound was looked at.
bool SteppedSearch::explore(std::uint32_t bound) {
    frames_.clear();
    seen_.clear();
    first_paths_.clear();
    seen_bytes_ = path_bytes_ = 0;
    pruned_ = false;
    do {
        if (should_stop()) {
            return false;
        }
        guarded([&] { go_on(bound); });
    } while (next_choice(frames_));
    result_.states = seen_.size();
    return !result_.finding && result_.diverged.empty() && !stopped_;
}

void SteppedSearch::run_random(std::uint64_t number) {
    RandomSteps steps(options_.seed, number);
    guarded([&] {
        for (std::size_t depth = 0;; ++depth) {
            std::vector<Action> enabled = run_.enabled();
            if (look(depth, enabled) == AtEnd::kYes) {
                return;
            }
            take(steps.choose(std::move(enabled), same_party));
        }
    });
}

void SteppedSearch::take_known() {
    result_.finding = try_known(options_.corpus);
    result_.limit = result_.finding ? "first violation" : "";
    result_.schedules = result_.finding ? 1 : 0;
    static_cast<void>(run_.take_tally());
    stop_by({deadline()});
}

// A program that is not deterministic is found out where the search repeats itself. A search of few
// runs does not: the first of them is run again.
void SteppedSearch::recheck() {
    SteppedTrace first;
    first.probed = first_.in_probe;
    for (const std::string& shown : first_.shown) {
        first.steps.emplace_back().text = shown;
    }
    result_.diverged = repeated_difference(first_, first);
    if (result_.diverged.empty()) {
        result_.diverged = broken_promise();
    }
}

SteppedResult SteppedSearch::search() {
    result_ = {};
    started_ = ChildProcess::Clock::now();
    stopped_ = false;
    cuts_ = 0;
    met_again_.clear();
    forget_hidden();
    program_.stop_by({deadline()});
    shares_ = options_.method == SteppedMethod::kBoth;
    take_known();
    if (options_.method != SteppedMethod::kRandom) {
        const std::uint32_t most = options_.preemptions_max.value_or(kNoBound);
        bool goes_on = true;
        for (std::uint32_t bound = 0; goes_on; ++bound) {
            // Where states are known again, everything is little more than one interruption.
            const std::uint32_t small_most = program_.is_stateless() ? 0 : 2;
            bound = bound > small_most && most == kNoBound ? kNoBound : bound;
            found_by_ = "exploring";
            const bool done = explore(bound);
            if (done) {
                result_.preemptions_done = bound;
            }
            // Without anything left out a larger bound has nothing to add.
            result_.complete = done && !pruned_ && result_.tally.answers.cut_runs == 0 &&
                               result_.tally.runs_out_of_time == 0;
            goes_on = done && pruned_ && bound < most;
        }
    }
    if (shares_ && !result_.complete) {
        result_.explored_first = {result_.schedules, result_.limit};
    }
    shares_ = false;
    result_.limit = result_.finding ? result_.limit : "";
    result_.is_cut = false;
    if (options_.method != SteppedMethod::kExplore && !result_.complete) {
        found_by_ = "random";
        for (std::uint64_t number = 0; !should_stop(); ++number) {
            run_random(number);
        }
    } else if (!result_.complete) {
        (void)should_stop();
    }
    take_hidden(result_);
    result_.calls = run_.calls();
    if (!result_.finding && result_.diverged.empty() && !result_.is_cut) {
        recheck();
    }
    result_.seconds = seconds();
    return result_;
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The search as a whole, and one run of it.
#include "validate/outside/search.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scheduler/search/explore.hpp"

namespace lockkeeper {

std::vector<std::string> shown_steps(const OutsideTrace& trace) {
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

double OutsideSearch::seconds() const {
    return std::chrono::duration<double>(SteadyClock::now() - started_).count();
}

bool OutsideSearch::is_interrupted() const {
    return interrupt_requested() || (options_.stop && options_.stop());
}

bool OutsideSearch::should_stop() {
    if (result_.finding || !result_.diverged.empty()) {
        return true;
    }
    if (hidden_ && result_.schedules >= hidden_until_) {
        return true;
    }
    // Exploring leaves half of the budget to drawn schedules.
    result_.is_cut =
        is_interrupted() || stopped_ || seconds() >= options_.seconds_max / (shares_ ? 2 : 1);
    if (result_.is_cut) {
        result_.limit = is_interrupted() ? "interrupted" : "time";
        return true;
    }
    const std::uint64_t most = options_.schedules_max;
    if (result_.schedules + result_.reduced >= (shares_ ? (most + 1) / 2 : most)) {
        result_.limit = "schedules";
        return true;
    }
    return false;
}

// Says how to repeat this run, for an error that only some runs meet.
std::string OutsideSearch::where_it_happens() const {
    if (actions_.empty()) {
        return "";
    }
    return fmt::format(
        "; {} the run --replay-choices '{}'",
        is_looking_ ? "in the look at the end of" : fmt::format("step {} of", actions_.size()),
        to_line({options_.seed, actions_}));
}

OutsideFinding OutsideSearch::run_until_now(const Property* property) const {
    return {property, std::nullopt, "", actions_, shown_, found_by_, is_looking_};
}

// Runs one schedule, and keeps its result whatever it is.
void OutsideSearch::guarded(const std::function<void()>& run) {
    actions_.clear();
    shown_.clear();
    is_looking_ = was_cut_ = false;
    began_ = seconds();
    ++result_.schedules;
    try {
        source_.begin();
        run();
    } catch (const Misbehaved& error) {
        source_.give_up();
        if (error.kind() == Misbehaviour::kScriptError) {
            throw Misbehaved(error.kind(), error.what() + where_it_happens());
        }
        if (is_input(error.kind())) {
            throw;
        }
        result_.finding = run_until_now(nullptr);
        result_.finding->misbehaviour = error.kind();
        result_.finding->detail = error.what();
    } catch (const DifferentAnswer& error) {
        source_.give_up();
        result_.diverged = error.what() + where_it_happens();
    } catch (const Stopped&) {
        source_.give_up();
        stopped_ = true;
        --result_.schedules;
    }
    result_.tally += source_.take_tally();
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
        first_ = run_until_now(nullptr);
    }
    if (options_.progress) {
        options_.progress({result_.schedules, result_.steps, seconds()});
    }
}

OutsideStep OutsideSearch::take(Action action) {
    actions_.push_back(action);
    ++result_.steps;
    OutsideStep step = source_.take(action);
    shown_.push_back(shown_step(step.text, step.result));
    return step;
}

// The actions are those of the run until then; the steps of the look at the end come after them.
void OutsideSearch::look() {
    is_looking_ = true;
    source_.look(Look::kSearching);
    for (const TraceStep& step : source_.steps_of_look()) {
        shown_.push_back(shown_step(step.text, step.result));
    }
}

// After each step: is the run at its end?
OutsideSearch::AtEnd OutsideSearch::is_over(std::size_t depth, const std::vector<Action>& enabled) {
    if (source_.violated().empty() && source_.is_deadlock(enabled)) {
        source_.note_deadlock();
    }
    const bool wants_outcomes = options_.on_outcome != nullptr;
    if (wants_outcomes && enabled.empty()) {
        outcome_ = source_.outcome();
    }
    if ((wants_outcomes || source_.violated().empty()) && enabled.empty() && source_.finished()) {
        look();
    }
    if (enabled.empty() || (!wants_outcomes && !source_.violated().empty())) {
        return end_run(enabled);
    }
    if (depth >= options_.steps_max) {
        ++result_.tally.answers.runs;
        ++result_.tally.answers.cut_runs;
        ends_early_ = true;
        return AtEnd::kYes;
    }
    return AtEnd::kNo;
}

OutsideSearch::AtEnd OutsideSearch::end_run(const std::vector<Action>& enabled) {
    ++result_.tally.answers.runs;
    if (options_.on_outcome != nullptr) {
        for (const Property* property : source_.violated()) {
            outcome_ += " " + std::string(property->name);
        }
    } else if (!source_.violated().empty()) {
        const Property* property = source_.violated().front();
        if (only_ == nullptr) {
            take_finding(run_until_now(property));
        } else if (only_ == property) {
            result_.finding = run_until_now(property);
        }
    } else if (enabled.empty() && !source_.finished()) {
        ++result_.tally.runs_out_of_time;  // or else it were a deadlock
        ends_early_ = true;
    }
    return AtEnd::kYes;
}

bool may_follow_from_others(const OutsideFinding& finding, const OutsideWorld& world) {
    return finding.property != nullptr && world.check.size() > 1 &&
           (finding.property->is(PropertyNumber::kUnexplainedHistory) ||
            (finding.in_look && finding.property->is(PropertyNumber::kDoubleRelease)));
}

// Keeps a finding aside for a while if it may follow from another.
void OutsideSearch::take_finding(OutsideFinding finding) {
    if (may_follow_from_others(finding, source_.world())) {
        if (!hidden_) {
            hidden_ = std::move(finding);
            hidden_until_ = result_.schedules + kVisibleSchedulesMax;
        }
        return;
    }
    result_.finding = std::move(finding);
    result_.limit = "first violation";
}

// At the end of the search: takes the finding kept aside if there is no other.
void OutsideSearch::take_hidden() {
    if (hidden_ && !result_.finding && result_.diverged.empty()) {
        result_.finding = std::exchange(hidden_, std::nullopt);
        result_.limit = "first violation";
        result_.complete = false;
    }
}

void OutsideSearch::take_known() {
    result_.finding = try_known();
    result_.limit = result_.finding ? "first violation" : "";
    result_.schedules = result_.finding ? 1 : 0;
    static_cast<void>(source_.take_tally());
    source_.stop_by({deadline()});
}

// The search notices code that is not deterministic where it repeats steps. A search of few runs
// repeats nothing, so its first run is repeated here.
void OutsideSearch::recheck() {
    OutsideTrace first;
    first.looked = first_.in_look;
    first.look_steps = first_.shown.size() - std::min(first_.shown.size(), first_.actions.size());
    for (const std::string& shown : first_.shown) {
        first.steps.emplace_back().text = shown;
    }
    result_.diverged = repeated_difference(first_, first);
    if (!result_.diverged.empty() && !first_.actions.empty()) {
        result_.diverged +=
            "; in the run --replay-choices '" + to_line({options_.seed, first_.actions}) + "'";
    } else if (result_.diverged.empty()) {
        result_.diverged = broken_promise();
    }
}

void OutsideSearch::begin_search() {
    result_ = {};
    first_ = {};
    hidden_.reset();
    known_ = {};
    seen_places_ = {};
    started_ = SteadyClock::now();
    stopped_ = false;
    longest_ = 1;
    source_.stop_by({deadline()});
    shares_ = options_.method == OutsideMethod::kBoth;
}

OutsideResult OutsideSearch::search() {
    begin_search();
    take_known();
    if (options_.method != OutsideMethod::kRandom) {
        found_by_ = "exploring";
        explore();
    }
    if (shares_ && !result_.complete) {
        result_.explored_first = {result_.schedules, result_.limit};
    }
    shares_ = false;
    // Drawn schedules would stop the clock at no other moments. Where a limit ended the last round,
    // the result names that limit, whatever an earlier round has done.
    const bool lacks_moments = !result_.complete && result_.limit.empty() &&
                               result_.preemptions_done && !pruned_ && !ends_early_;
    result_.limit = result_.finding ? result_.limit : "";
    result_.is_cut = false;
    if (lacks_moments) {
        result_.limit = result_.finding ? result_.limit : "moments of time";
    } else if (options_.method != OutsideMethod::kExplore && !result_.complete) {
        draw();
    } else if (!result_.complete) {
        static_cast<void>(should_stop());
    }
    take_hidden();
    result_.calls = source_.calls();
    if (!result_.finding && result_.diverged.empty() && !result_.is_cut && !options_.on_outcome) {
        recheck();
    }
    result_.seconds = seconds();
    return result_;
}

OutsideResult OutsideSearch::search_again() {
    options_.seconds_max = std::max(0.0, options_.seconds_max - seconds());
    return search();
}

}  // namespace lockkeeper

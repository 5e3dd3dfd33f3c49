// SPDX-License-Identifier: Apache-2.0
#include "serve/exploration.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "reports/progress.hpp"
#include "reports/run_json.hpp"
#include "work/make_report.hpp"
#include "work/results/conclusion.hpp"
#include "work/results/words.hpp"
#include "work/searches.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

Json estimate_json(const std::optional<TotalEstimate>& estimate) {
    return estimate ? Json{{"least", estimate->least}, {"most", estimate->most}} : Json(nullptr);
}

Json progress_json(const ExploreProgress& progress) {
    return {{"states", progress.states},
            {"transitions", progress.transitions},
            {"depth", progress.depth},
            {"waiting", progress.frontier},
            {"bytes", progress.bytes},
            {"seconds", progress.seconds},
            {"estimate", estimate_json(progress.estimate)},
            {"text", progress_text(progress)}};
}

Json progress_json(const FuzzProgress& progress) {
    return {{"schedules", progress.schedules},
            {"steps", progress.steps},
            {"seconds", progress.seconds},
            {"text", progress_text(progress)}};
}

// The final numbers of a search, in the form of its progress.
ExploreProgress at_end(const ExploreResult& result) {
    ExploreProgress progress;
    progress.states = result.states;
    progress.transitions = result.transitions;
    progress.depth = result.depth;
    progress.bytes = result.bytes_stored;
    progress.seconds = result.seconds + result.graph_seconds;
    return progress;
}

std::unique_ptr<Runner> rest_of(const ExplorationRequest& request) {
    if (request.outside && !request.from.actions.empty()) {
        throw DoesNotFit("outside code is explored from its beginning");
    }
    if (request.from.actions.empty()) {
        return nullptr;
    }
    return runner_from(*request.file, walk(*request.file, request.from.actions));
}

constexpr double kGoalSecondsMax = 10;

// The whole file, from its beginning: the verdict is that of `lockkeeper explore`.
bool is_whole(const ExplorationRequest& request) {
    return request.check.empty() && request.from.actions.empty();
}

// A goal that nothing reaches makes a pass none, and so does a search in which nobody acquires.
Verdict with_goals(const Job& job, const ExploreOptions& options, ExploreResult result) {
    RunReport report = begin_report(job, "explore", "");
    add_exploration(job, std::move(result), report);
    GoalLimits limits;
    limits.bytes_max = options.process_bytes_max;
    limits.seconds_max = kGoalSecondsMax;
    doubt_without_acquire(job, limits, report);
    return std::move(report.verdict);
}

}  // namespace

void Exploration::start(ExplorationRequest request) {
    const std::lock_guard starting(starting_);
    end();
    // The file's own searches are compiled for its system, and several times as fast.
    std::unique_ptr<Runner> rest = rest_of(request);
    {
        const std::lock_guard lock(mutex_);
        ++number_;
        request_ = std::move(request);
        rest_ = std::move(rest);
        known_ = {};
        known_.phase = Phase::kRunning;
        known_.progress =
            request_.outside ? progress_json(FuzzProgress{}) : progress_json(ExploreProgress{});
    }
    is_cancelled_ = false;
    if (request_.outside) {
        run([this] { work_outside(); });
        return;
    }
    const Runner& runner = rest_ ? *rest_ : *request_.file->job.runner;
    run([this, &runner, options = options_for(request_)] { work(runner, options); });
}

void Exploration::run(const std::function<void()>& search) {
    if (limits_.run) {
        limits_.run(search);
    } else {
        worker_ = std::thread(search);
    }
}

ExploreOptions Exploration::options_for(const ExplorationRequest& request) {
    ExploreOptions options = explore_options_of(request.file->job);
    options.check = request.check.empty() ? request.file->job.check : request.check;
    if (!is_whole(request)) {
        options.reach.clear();
    }
    options.counting = Counting::kOff;
    options.stop_at_first = request.stop_at_first;
    options.states_max = std::min(options.states_max, request.states_max);
    options.jobs = limits_.jobs;
    options.bytes_max = limits_.bytes_max;
    options.process_bytes_max = limits_.bytes_max;
    options.stop = [this] { return is_cancelled_.load(); };
    options.progress = [this](const ExploreProgress& progress) {
        note([&](Known& known) { known.progress = progress_json(progress); });
    };
    options.found = [this](const FoundViolation& violation) {
        note([&](Known& known) { known.violations.push_back(violation); });
    };
    return options;
}

void Exploration::work(const Runner& runner, const ExploreOptions& options) {
    std::string error;
    ExploreResult result;
    Verdict verdict;
    try {
        result = runner.explore(options);
        verdict =
            is_whole(request_) ? with_goals(request_.file->job, options, result) : result.verdict;
    } catch (const std::exception& failed) {
        error = failed.what();
    }
    conclude(error, [&](Known& known) {
        known.violations = std::move(result.violations);
        known.verdict = std::move(verdict);
        known.complete = result.complete;
        known.limit = result.limit;
        known.progress = progress_json(at_end(result));
        if (const auto* stuck = std::get_if<Stuck>(&known.verdict)) {
            known.violations.push_back({nullptr, stuck->schedule});
        }
    });
}

void Exploration::note(const std::function<void(Known& known)>& what) {
    {
        const std::lock_guard lock(mutex_);
        what(known_);
    }
    if (limits_.tell) {
        limits_.tell();
    }
}

void Exploration::conclude(const std::string& error,
                           const std::function<void(Known& known)>& take) {
    const std::lock_guard lock(mutex_);
    known_.phase = Phase::kEnded;
    known_.error = error;
    if (error.empty()) {
        take(known_);
        known_.limit = is_cancelled_ ? "cancelled" : known_.limit;
    }
}

// By processes of its own: somebody may walk at the same time.
void Exploration::work_outside() {
    ProgramJob job = request_.outside->job();
    job.world.check = request_.check.empty() ? job.world.check : request_.check;
    OutsideOptions options = stepped_options_of(job);
    options.stop = [this] { return is_cancelled_.load(); };
    options.progress = [this](const FuzzProgress& progress) {
        note([&](Known& known) { known.progress = progress_json(progress); });
    };
    Watcher quiet;
    std::string error;
    OutsideResult result;
    OutsideVerdict judged;
    try {
        with_search(job, options, quiet, [&](OutsideSearch& search, const LastWords&) {
            judged = search_and_judge(search, result, job.world, job.report.seed);
        });
        const auto* failed = std::get_if<Error>(&job.report.verdict);  // the server did not start
        error = failed != nullptr ? failed->detail : "";
    } catch (const std::exception& failed) {
        error = failed.what();
    }
    conclude(error, [&](Known& known) {
        if (judged.property != nullptr) {
            known.violations.push_back({judged.property, judged.schedule});
        }
        known.verdict = judged.verdict;
        known.complete = result.complete;
        known.limit = result.limit;
        known.progress =
            progress_json(FuzzProgress{result.schedules, result.steps, result.seconds});
    });
}

void Exploration::end() {
    cancel();
    join();
}

void Exploration::join() {
    if (worker_.joinable()) {
        worker_.join();
    }
}

Json Exploration::violation_json(const FoundViolation& violation) const {
    Schedule whole = request_.from;
    const std::vector<Action>& rest = violation.schedule.actions;
    whole.actions.insert(whole.actions.end(), rest.begin(), rest.end());
    Json json{{"title", violation.property == nullptr ? "stuck" : title_of(*violation.property)},
              {"schedule", to_line(whole)},
              {"steps", whole.actions.size()}};
    if (violation.property != nullptr) {
        json["property"] = violation.property->name;
    }
    if (violation.cycle_start != kNoStep) {
        json["cycle_from"] = request_.from.actions.size() + violation.cycle_start + 1;
    }
    return json;
}

ServeJson Exploration::view() const {
    const std::lock_guard lock(mutex_);
    if (known_.phase == Phase::kNone) {
        return {{"phase", "none"}};
    }
    const bool has_ended = known_.phase == Phase::kEnded;
    Json json{{"phase", has_ended ? "ended" : "running"},
              {"number", number_},
              {"file", request_.file_number},
              {"from", to_line(request_.from)},
              {"from_steps", request_.from.actions.size()},
              {"check", names(request_.check)},
              {"violations", list_of(known_.violations, [&](const FoundViolation& violation) {
                   return violation_json(violation);
               })}};
    json.update(known_.progress);
    if (has_ended && !known_.error.empty()) {
        json["error"] = known_.error;
    } else if (has_ended) {
        add_verdict(known_.verdict, {}, json);
        json["complete"] = known_.complete;
        json["limit"] = known_.limit;
    }
    return json;
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "serve/exploration.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "reports/progress.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

Json estimate_json(const std::optional<TotalEstimate>& estimate) {
    return estimate ? Json{{"least", estimate->least}, {"most", estimate->most}} : Json(nullptr);
}

}  // namespace

void Exploration::start(ExplorationRequest request) {
    const std::lock_guard starting(starting_);
    end();
    const Walked from = walk(*request.file, request.from.actions);
    {
        const std::lock_guard lock(mutex_);
        ++number_;
        request_ = std::move(request);
        // The file's own searches are compiled for its system, and several times as fast.
        rest_ = request_.from.actions.empty() ? nullptr : runner_from(*request_.file, from);
        known_ = {};
        known_.phase = Phase::kRunning;
    }
    is_cancelled_ = false;
    const Runner& runner = rest_ ? *rest_ : *request_.file->job.runner;
    worker_ =
        std::thread([this, &runner, options = options_for(request_)] { work(runner, options); });
}

ExploreOptions Exploration::options_for(const ExplorationRequest& request) {
    ExploreOptions options = explore_options_of(request.file->job);
    options.check = request.check.empty() ? request.file->job.check : request.check;
    options.reach.clear();
    options.counting = Counting::kOff;
    options.stop_at_first = request.stop_at_first;
    options.states_max = std::min(options.states_max, request.states_max);
    options.jobs = limits_.jobs;
    options.bytes_max = limits_.bytes_max;
    options.process_bytes_max = limits_.bytes_max;
    options.stop = [this] { return is_cancelled_.load(); };
    options.progress = [this](const ExploreProgress& progress) {
        const std::lock_guard lock(mutex_);
        known_.progress = progress;
    };
    options.found = [this](const FoundViolation& violation) {
        const std::lock_guard lock(mutex_);
        known_.violations.push_back(violation);
    };
    return options;
}

void Exploration::work(const Runner& runner, const ExploreOptions& options) {
    std::string error;
    ExploreResult result;
    try {
        result = runner.explore(options);
    } catch (const std::exception& failed) {
        error = failed.what();
    }
    const std::lock_guard lock(mutex_);
    known_.phase = Phase::kEnded;
    known_.error = std::move(error);
    if (!known_.error.empty()) {
        return;
    }
    known_.violations = std::move(result.violations);
    known_.verdict = std::move(result.verdict);
    known_.complete = result.complete;
    known_.limit = is_cancelled_ ? "cancelled" : result.limit;
    known_.progress.states = result.states;
    known_.progress.transitions = result.transitions;
    known_.progress.depth = result.depth;
    known_.progress.frontier = 0;
    known_.progress.bytes = result.bytes_stored;
    known_.progress.seconds = result.seconds + result.graph_seconds;
    known_.progress.estimate = std::nullopt;
    if (const auto* stuck = std::get_if<Stuck>(&known_.verdict)) {
        known_.violations.push_back({nullptr, stuck->schedule});
    }
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
    Json::array_t check;
    for (const Property* property : request_.check) {
        check.push_back(property->name);
    }
    const bool has_ended = known_.phase == Phase::kEnded;
    const ExploreProgress& progress = known_.progress;
    Json::array_t violations;
    for (const FoundViolation& violation : known_.violations) {
        violations.push_back(violation_json(violation));
    }
    Json json{{"phase", has_ended ? "ended" : "running"},
              {"number", number_},
              {"file", request_.file_number},
              {"from", to_line(request_.from)},
              {"from_steps", request_.from.actions.size()},
              {"check", std::move(check)},
              {"states", progress.states},
              {"transitions", progress.transitions},
              {"depth", progress.depth},
              {"waiting", progress.frontier},
              {"bytes", progress.bytes},
              {"seconds", progress.seconds},
              {"estimate", estimate_json(progress.estimate)},
              {"text", progress_text(progress)},
              {"violations", std::move(violations)}};
    if (has_ended && !known_.error.empty()) {
        json["error"] = known_.error;
    } else if (has_ended) {
        json["verdict"] = name_of(known_.verdict);
        json["complete"] = known_.complete;
        json["limit"] = known_.limit;
    }
    return json;
}

}  // namespace lockkeeper

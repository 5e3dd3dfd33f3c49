// SPDX-License-Identifier: Apache-2.0
#include "scheduler/graph/graph_answer.hpp"

namespace lockkeeper {
namespace {

// `seconds`: the time that has passed.
ExploreOptions asked_alone(const ExploreOptions& options, const Property* livelock,
                           double seconds) {
    ExploreOptions alone = options;
    alone.ranks = nullptr;
    alone.check.clear();
    if (livelock != nullptr) {
        alone.check.push_back(livelock);
    }
    alone.reach.clear();
    alone.seconds_max = std::max(0.0, options.seconds_max - seconds);
    alone.checkpoint = {};
    alone.progress = {};
    alone.hint = {};
    return alone;
}

RankMessage told(const ExploreResult& answer) {
    RankMessage message;
    MessageWriter out(message);
    out.value(answer.complete);
    out.text(answer.limit);
    out.value(answer.acyclic);
    out.text(answer.interleavings.value_or(""));
    out.value(answer.seconds + answer.graph_seconds);
    out.value(std::uint64_t{answer.violations.size()});
    for (const FoundViolation& found : answer.violations) {
        out.value(found.cycle_start);
        out.array(found.schedule.actions);
    }
    return message;
}

void hear(const RankMessage& message, const Property* livelock, ExploreResult& result) {
    MessageReader in(message);
    result.complete = in.value<bool>();
    result.limit = in.text();
    result.acyclic = in.value<std::optional<bool>>();
    const std::string interleavings = in.text();
    if (!interleavings.empty()) {
        result.interleavings = interleavings;
    }
    result.graph_seconds = in.value<double>();
    for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
        FoundViolation found;
        found.property = livelock;
        found.cycle_start = in.value<std::size_t>();
        found.schedule = {0, in.array<Action>()};
        result.violations.push_back(std::move(found));
    }
}

}  // namespace

void look_at_graph_alone(ExploreResult& result, const ExploreOptions& options,
                         const Property* livelock,
                         const std::function<ExploreResult(const ExploreOptions&)>& explore) {
    RankMessage message;
    if (options.ranks->is_first()) {
        message = told(explore(asked_alone(options, livelock, result.seconds)));
    }
    hear(options.ranks->gather(message).front(), livelock, result);
}

}  // namespace lockkeeper

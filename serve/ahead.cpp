// SPDX-License-Identifier: Apache-2.0

// Small searches and small graphs around a state.
#include <algorithm>

#include "scheduler/base/deadline.hpp"
#include "scheduler/base/process_memory.hpp"
#include "scheduler/graph/draw_graph.hpp"
#include "serve/session.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

Json names_of(const std::vector<const Property*>& properties) {
    Json::array_t names;
    for (const Property* property : properties) {
        names.push_back(property->name);
    }
    return names;
}

// The limits of the searches that look ahead from one place.
struct AheadLimits {
    std::uint64_t states_max = 0;  // of each
    std::uint64_t bytes_max = 0;
    Deadline deadline;
};

// `action` was possible; what it breaks itself is among the choices.
Json look_ahead(const OpenedFile& file, const Schedule& schedule, const Walked& from, Action action,
                const AheadLimits& limits) {
    ExploreOptions options;
    options.check = file.job.check;
    options.symmetry = file.job.scenario.symmetry;
    options.counting = Counting::kOff;
    options.stop_at_first = true;
    options.states_max = limits.states_max;
    options.process_bytes_max = limits.bytes_max;
    options.seconds_max = limits.deadline.left();
    const ExploreResult result = runner_from(file, after(file, from, action))->explore(options);
    Json json{{"action", to_text(action)}, {"states", result.states}};
    if (!result.violations.empty()) {
        const FoundViolation& found = result.violations.front();
        Schedule whole = schedule;
        whole.actions.push_back(action);
        const std::vector<Action>& rest = found.schedule.actions;
        whole.actions.insert(whole.actions.end(), rest.begin(), rest.end());
        json["ahead"] = "violation";
        json["property"] = found.property->name;
        json["steps"] = 1 + rest.size();
        json["schedule"] = to_line(whole);
        if (found.cycle_start != kNoStep) {
            json["cycle_from"] = schedule.actions.size() + 1 + found.cycle_start + 1;
        }
    } else {
        json["ahead"] = result.complete ? "nothing" : "unknown";
        json["depth"] = 1 + result.depth;
    }
    return json;
}

}  // namespace

ServeJson ahead_view(const OpenedFile& file, const Schedule& schedule, std::uint64_t states_max) {
    const Walked here = walk(file, schedule.actions);
    ActionList possible;
    file.system.enabled(here.state, possible);
    constexpr double kSeconds = 1;  // whoever walks does not wait longer
    const std::uint64_t share = states_max / std::max<std::size_t>(1, possible.size());
    const AheadLimits limits{std::max<std::uint64_t>(1, share), memory_default(),
                             Deadline(kSeconds)};
    Json::array_t list;
    for (const Action action : possible) {
        list.push_back(look_ahead(file, schedule, here, action, limits));
    }
    return {{"choices", std::move(list)}};
}

// Without symmetry, so that the actions on the way to a state are a schedule.
ServeJson graph_view(const OpenedFile& file, const Schedule& schedule, std::size_t states_max) {
    const Walked here = walk(file, schedule.actions);
    const DrawnGraph graph = draw_graph(file.system.beginning_in(here.state), false, file.job.check,
                                        std::min(states_max, kGraphStatesMax));
    Json::array_t states;
    for (const DrawnState& state : graph.states) {
        states.push_back({{"id", id_text(state.fingerprint)},
                          {"text", state.text},
                          {"at_rest", state.is_at_rest},
                          {"finished", state.is_end},
                          {"stuck", state.is_deadlock},
                          {"violates", names_of(state.violates)}});
    }
    Json::array_t transitions;
    for (const DrawnTransition& transition : graph.transitions) {
        transitions.push_back({{"from", transition.from},
                               {"to", transition.to},
                               {"action", to_text(transition.action)},
                               {"text", transition.text},
                               {"violates", names_of(transition.violates)}});
    }
    return {{"states", std::move(states)},
            {"transitions", std::move(transitions)},
            {"left_out", graph.transitions_left_out}};
}

}  // namespace lockkeeper

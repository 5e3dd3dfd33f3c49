// SPDX-License-Identifier: Apache-2.0

// The walk to the state behind a schedule, and what begins there: small searches ahead, a small
// graph around, a run that chance goes on with.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/check.hpp"
#include "reports/run_json.hpp"
#include "scenarios/registry/coarse_time.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/process_memory.hpp"
#include "scheduler/erased_runner.hpp"
#include "scheduler/graph/draw_graph.hpp"
#include "scheduler/runs/simulator.hpp"
#include "scheduler/runs/strategy.hpp"
#include "serve/session.hpp"

namespace lockkeeper {
namespace {

std::string list_of(const ActionList& actions) {
    std::string text;
    for (const Action action : actions) {
        text += (text.empty() ? "" : " ") + to_text(action);
    }
    return text.empty() ? "nothing" : text;
}

using Json = ServeJson;

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

constexpr std::string_view kRandom = "random";
constexpr std::string_view kRareFaults = "rare-faults";
constexpr std::string_view kRoundRobin = "round-robin";

template <class Strategy>
const Run& walk_by(Simulator<ErasedSystem>& simulator, const RandomWalk& choice) {
    Strategy strategy;
    strategy.begin(choice.seed);
    return simulator.run(strategy, choice.steps_max);
}

std::string_view end_word(const Run& run, const RandomWalk& choice) {
    return !run.broken.empty()                      ? "violation"
           : run.actions.size() >= choice.steps_max ? "steps"
           : run.cut                                ? "time is over"
                                                    : "end";
}

const Run& walk_on(Simulator<ErasedSystem>& simulator, const RandomWalk& choice) {
    if (choice.strategy == kRandom) {
        return walk_by<RandomStrategy>(simulator, choice);
    }
    if (choice.strategy == kRareFaults) {
        return walk_by<RareFaultsStrategy>(simulator, choice);
    }
    LOCKKEEPER_CHECK(choice.strategy == kRoundRobin);
    return walk_by<RoundRobinStrategy>(simulator, choice);
}

}  // namespace

Walked walk(const OpenedFile& file, const std::vector<Action>& actions) {
    Walked walked{file.system.initial(), 0};
    ActionList possible;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        file.system.enabled(walked.state, possible);
        if (!possible.contains(actions[i])) {
            throw DoesNotFit(fmt::format("step {}: action {} is not possible; possible: {}", i + 1,
                                         to_text(actions[i]), list_of(possible)));
        }
        walked = after(file, walked, actions[i]);
    }
    return walked;
}

Walked after(const OpenedFile& file, const Walked& from, Action action) {
    Walked next = from;
    const Event event = file.system.apply(next.state, action);
    next.resizes += event.is(kResized) ? 1U : 0U;
    return next;
}

std::unique_ptr<Runner> runner_from(const OpenedFile& file, const Walked& from) {
    const Runner& whole = *file.job.runner;
    WorldConfig world = whole.world();
    // The remaining run begins with the view that the callers see now.
    const std::size_t seen = std::min(from.resizes, world.views.size() - 1);
    world.views.erase(world.views.begin(), world.views.begin() + static_cast<std::ptrdiff_t>(seen));
    auto runner = make_erased_runner(file.system.beginning_in(from.state), whole.walkers(), world,
                                     whole.features());
    return with_limit_of_time(file.job.system->vocabulary, file.job.scenario, std::move(runner));
}

std::string id_text(std::uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

StateNames names_of(const OpenedFile& file, const ErasedSystem::State& state) {
    ErasedSystem::State representative = state;
    file.system.canonicalize(representative);
    return {id_text(fingerprint_of(file.system, state)),
            id_text(fingerprint_of(file.system, representative))};
}

ServeJson ahead_view(const OpenedFile& file, const Schedule& schedule, std::uint64_t states_max) {
    const Walked here = walk(file, schedule.actions);
    ActionList possible;
    file.system.enabled(here.state, possible);
    constexpr double kSeconds = 1;  // whoever walks does not wait longer
    const std::uint64_t share = states_max / std::max<std::size_t>(1, possible.size());
    const AheadLimits limits{std::max<std::uint64_t>(1, share), memory_default(),
                             Deadline(kSeconds)};
    return {{"choices", list_of(possible, [&](Action action) {
                 return look_ahead(file, schedule, here, action, limits);
             })}};
}

// Without symmetry, so that the actions on the way to a state are a schedule.
ServeJson graph_view(const OpenedFile& file, const Schedule& schedule, std::size_t states_max) {
    const Walked here = walk(file, schedule.actions);
    const DrawnGraph graph = draw_graph(file.system.beginning_in(here.state), false, file.job.check,
                                        std::min(states_max, kGraphStatesMax));
    Json states = list_of(graph.states, [](const DrawnState& state) -> Json {
        return {{"id", id_text(state.fingerprint)}, {"text", state.text},
                {"at_rest", state.is_at_rest},      {"finished", state.is_end},
                {"stuck", state.is_deadlock},       {"violates", names(state.violates)}};
    });
    Json transitions = list_of(graph.transitions, [](const DrawnTransition& transition) -> Json {
        return {{"from", transition.from},
                {"to", transition.to},
                {"action", to_text(transition.action)},
                {"text", transition.text},
                {"violates", names(transition.violates)}};
    });
    return {{"states", std::move(states)},
            {"transitions", std::move(transitions)},
            {"left_out", graph.transitions_left_out}};
}

const std::vector<std::string_view>& random_strategies() {
    static const std::vector<std::string_view> kNames{kRandom, kRareFaults, kRoundRobin};
    return kNames;
}

ServeJson random_view(const OpenedFile& file, const Schedule& schedule, const RandomWalk& choice) {
    const Walked here = walk(file, schedule.actions);
    const ErasedSystem system = file.system.beginning_in(here.state);
    Simulator<ErasedSystem> simulator(system, Judge(file.job.check), Judge());
    const Run& run = walk_on(simulator, choice);
    Schedule whole{choice.seed, schedule.actions};
    whole.actions.insert(whole.actions.end(), run.actions.begin(), run.actions.end());
    return {{"schedule", to_line(whole)},
            {"steps", run.actions.size()},
            {"ended_by", end_word(run, choice)}};
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "serve/session.hpp"

#include <utility>

#include "reports/run_json.hpp"
#include "work/findings.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

Json names_json(const OpenedFile& file, const ErasedSystem::State& state) {
    const StateNames names = names_of(file, state);
    return {{"id", names.id}, {"kind", names.kind}};
}

// The changes of the last step. Each has its field, because each run numbers its fields anew.
Json last_changes(const Json& run) {
    const Json& steps = run["trace"];
    Json values = run["initial_values"];
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        for (const Json& change : steps[i].value("changes", Json::array())) {
            values[change[0].get<std::size_t>()] = change[1];
        }
    }
    Json::array_t list;
    for (const Json& change : steps.back().value("changes", Json::array())) {
        const auto index = change[0].get<std::size_t>();
        list.push_back(
            {{"field", run["fields"][index]}, {"before", values[index]}, {"after", change[1]}});
    }
    return list;
}

Json without_changes(const Json& step) {
    Json rest = Json::object();
    for (const auto& [name, value] : step.items()) {
        if (name != "changes") {
            rest[name] = value;
        }
    }
    return rest;
}

Json choice_of(const OpenedFile& file, const Walked& from, const Runner& here, Action action) {
    ReplayOptions options;
    options.check = file.job.check;
    const Trace trace = here.replay({file.job.scenario.seed, {action}}, options);
    WrittenRun shown{.trace = trace, .steps_max = 1};
    return last_step_json(run_json(shown), trace,
                          names_json(file, after(file, from, action).state));
}

std::string title_of_run(const Trace& trace) {
    const std::string steps = counted(trace.steps.size(), "step");
    if (trace.violated.empty()) {
        return trace.deadlocked ? "stuck after " + steps : steps;
    }
    return title_of(*trace.violated.front()) + " in " +
           counted(violating_step(trace, trace.violated.front()), "step");
}

}  // namespace

// Why nothing more happens by itself; null: something does.
ServeJson end_of(const Trace& trace) {
    return trace.all_finished   ? Json("finished")
           : trace.deadlocked   ? Json("stuck")
           : trace.time_is_over ? Json("time is over")
                                : Json(nullptr);
}

ServeJson last_step_json(const ServeJson& run, const Trace& trace, ServeJson state) {
    Json choice{{"step", without_changes(run["trace"].back())}, {"changes", last_changes(run)}};
    const std::string& operation = trace.steps.back().words.operation;
    if (!operation.empty()) {
        choice["operation"] = operation;
    }
    choice["state"] = std::move(state);
    choice["end"] = end_of(trace);
    return choice;
}

ServeJson run_document(const Trace& trace, const ShownRunPlace& place, ServeJson states) {
    const Schedule& schedule = place.schedule;
    Json run = run_json({.trace = trace,
                         .title = title_of_run(trace),
                         .file = place.file,
                         .replay = place.replay,
                         .schedule = to_line(schedule),
                         .property = trace.violated.empty() ? nullptr : trace.violated.front(),
                         .cycle_start = place.cycle_start,
                         .steps_max = kWalkStepsMax});
    return {{"run", std::move(run)},
            {"constants", RunFields(trace).constants()},
            {"states", std::move(states)},
            {"seed", schedule.seed},
            {"actions", list_of(schedule.actions, [](Action action) { return to_text(action); })},
            {"end", end_of(trace)}};
}

ServeJson run_view(const OpenedFile& file, const Schedule& schedule, std::size_t cycle_start) {
    ReplayOptions options;
    options.check = file.job.check;
    options.cycle_start = cycle_start;
    const Trace trace = file.job.runner->replay(schedule, options);
    Finding shown;
    shown.schedule = trace.schedule(schedule.seed);
    shown.cycle_start = trace.cycle_start;
    Json::array_t states;
    Walked at{file.system.initial(), 0};
    states.push_back(names_json(file, at.state));
    for (const TraceStep& step : trace.steps) {
        at = after(file, at, step.action);
        states.push_back(names_json(file, at.state));
    }
    return run_document(
        trace,
        {file.job.file, file.is_on_disk ? replay_command(file.job, shown, false) : "",
         shown.schedule, trace.cycle_start},
        std::move(states));
}

ServeJson choices_view(const OpenedFile& file, const Schedule& schedule) {
    const Walked here = walk(file, schedule.actions);
    const auto runner = runner_from(file, here);
    ActionList possible;
    file.system.enabled(here.state, possible);
    ReplayOptions options;
    options.check = file.job.check;
    return {
        {"choices",
         list_of(possible, [&](Action action) { return choice_of(file, here, *runner, action); })},
        {"state", names_json(file, here.state)},
        {"text", file.system.show(here.state)},
        {"end", end_of(runner->replay({}, options))}};
}

}  // namespace lockkeeper

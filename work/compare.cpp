// SPDX-License-Identifier: Apache-2.0

// The reports of `validate --against` and `validate --server`: two sides compared, and the
// difference that is shown.
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/overlay.hpp"
#include "validate/compare/against.hpp"
#include "validate/compare/make_reference.hpp"
#include "validate/servers/compared_server.hpp"
#include "work/findings.hpp"
#include "work/jobs.hpp"
#include "work/program_job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {
namespace {

// The other side of a scenario's comparison. The limits are those of the overlay.
struct ComparedWith {
    const Registry& registry;
    const RegisteredSystem& reference;
    const Overlay& overlay;
    std::function<bool()> is_full;
};

against::CompareLimits limits_of(const ComparedWith& with) {
    const Overlay& overlay = with.overlay;
    against::CompareLimits limits;
    limits.is_full = with.is_full;
    limits.schedules_max = overlay.schedules_max.value_or(limits.schedules_max);
    limits.steps_max = overlay.steps_max.value_or(limits.steps_max);
    limits.seconds_max = overlay.seconds_max.value_or(limits.seconds_max);
    return limits;
}

// "step 7: acquire of B answers "full", the reference "acquired"". `callers`: their names.
std::string difference_text(const against::Compared& compared,
                            const std::vector<std::string>& callers) {
    const against::Explanation& found = compared.explanation;
    if (!found.call) {
        return "the reference: " + found.expected;
    }
    const against::ObservedCall& call = compared.shown->calls[*found.call];
    return fmt::format("step {}: {} of {} answers \"{}\", the reference \"{}\"",
                       call.returned.value_or(0), name_of(call.verb), callers[call.caller],
                       call.text, found.expected);
}

// The report's finding, without the command that shows it again and without what only the caller
// can say of the candidate; null: there is no difference.
Finding* compare_with_reference(const against::Against& against,
                                const against::CompareLimits& limits,
                                const std::vector<CallerConfig>& callers,
                                const std::string& candidate, RunReport& report) {
    const ReferenceComparison& comparison = report.details.emplace<ReferenceComparison>(
        ReferenceComparison{candidate, against::compare(against, report.seed, limits)});
    const against::Compared& compared = comparison.compared;
    report.verdict = compared.verdict;
    report.is_interrupted = interrupt_requested();
    if (!compared.shown) {
        return nullptr;
    }
    std::vector<std::string> names;
    names.reserve(callers.size());
    for (const CallerConfig& caller : callers) {
        names.push_back(caller.name);
    }
    Finding& finding = report.findings.emplace_back();
    finding.difference = difference_text(compared, names);
    finding.schedule = {report.seed, compared.shown->actions};
    return &finding;
}

// The way in which the scenario's own system is compared; the scenario gets what goes with it.
against::Way way_of_model(const ComparedWith& with, Scenario& scenario) {
    return against::way_of(scenario, with.registry.find(scenario.system, scenario.variant),
                           with.reference);
}

// Both compare with the report's seed, and fill the report: with the difference that is shown, the
// run and the command that repeats it. The job is that of the scenario. UsageError: faults that
// were laid over it are those of another system.
void compare_model(const ComparedWith& with, const against::Way& way, const Job& job,
                   RunReport& report) {
    if (!way.is_variant && against::has_faults(job.scenario)) {  // by --set
        throw UsageError("--set: faults of another system than the reference's");
    }
    const ErasedSystem system = job.runner->erased();
    const against::Against against(
        {system, job.runner->features()},
        against::make_reference(with.registry, job.scenario, with.reference, way,
                                against::timers_of(system)));
    if (Finding* finding =
            compare_with_reference(against, limits_of(with), job.scenario.world.callers,
                                   report.system + "/" + report.variant, report)) {
        finding->trace = job.runner->replay(finding->schedule, {});
        finding->replay_command = replay_command(job, *finding, false);
    }
}

void compare_program(const ComparedWith& with, const ProgramJob& job, Scenario scenario,
                     RunReport& report) {
    const std::vector<CallerConfig> callers = scenario.world.callers;
    const against::Way way = against::way_of(scenario, nullptr, with.reference);
    against::keep_known(with.reference, job.world.parameters, scenario.parameters);
    const against::Reference side =
        against::make_reference(with.registry, std::move(scenario), with.reference, way, {});
    Program program(job.program);
    program.stop_by({moment_after(with.overlay.seconds_max.value_or(1e18))});
    const against::Against against(
        against::program_candidate(program, job.world.world,
                                   {(side.features & kShowsCount) != 0, way.has_clock,
                                    way.has_clock ? job.world.ticks_max : 0}),
        side);
    try {
        if (Finding* finding = compare_with_reference(against, limits_of(with), callers,
                                                      job.program.command, report)) {
            const auto& comparison = std::get<ReferenceComparison>(report.details);
            finding->trace.steps = comparison.compared.shown->steps;
            finding->replay_command = job.replay_command(to_line(finding->schedule));
        }
    } catch (const Misbehaved& error) {
        throw refused_program(job.program.command, error);
    }
}

// The same of a model and a server. What cannot be put to the server is in the report.
// The limits are the server's own, with those of the overlay.
void compare_with_server(const Job& job, databases::ComparedServer& server, const Overlay& overlay,
                         const std::function<bool()>& is_full, RunReport& report) {
    databases::ComparisonLimits limits = server.limits();
    limits.is_full = is_full;
    limits.random_schedules = overlay.schedules_max.value_or(limits.random_schedules);
    limits.seconds_max = overlay.seconds_max.value_or(limits.seconds_max);
    limits.seed = overlay.seed.value_or(limits.seed);
    limits.steps_max = overlay.steps_max.value_or(limits.steps_max);
    report.words = kServerWords;
    ServerComparison& compared = report.details.emplace<ServerComparison>();
    try {
        const Deadline until(limits.seconds_max);
        const std::vector<Schedule> own =
            databases::own_schedules(job.scenario, *job.runner, job.check, limits.seconds_max);
        limits.seconds_max = until.left();
        compared.comparison = databases::compare(server, job, *job.runner, own, limits);
    } catch (const databases::NotExpressible& none) {
        compared.not_expressible = none.because;
    }
    report.verdict = compared.comparison.verdict;
    if (const auto& difference = compared.comparison.difference) {
        Finding& finding = report.findings.emplace_back();
        finding.difference = "step " + std::to_string(difference->step) + ": the model shows " +
                             difference->model + ", the server " + difference->server;
        finding.schedule = difference->schedule;
        finding.replay_command = replay_command(job, finding, false);
    }
}

}  // namespace

RunReport compare_to_reference(const Desk& desk, const std::string& file,
                               const RegisteredSystem& reference) {
    const Asked& options = desk.asked;
    const Overlay left = within(desk.asked, desk.deadline);
    MemoryWatch memory(options);
    const ComparedWith with{desk.registry, reference, left,
                            [&memory] { return memory.is_exceeded(); }};
    Scenario scenario = value_or_throw(load_scenario(file));
    RunReport report;
    if (options.validate.program) {
        const ProgramJob job = program_job(desk, scenario);
        report = job.report;
        compare_program(with, job, scenario, report);
    } else {
        const against::Way way = way_of_model(with, scenario);
        const Job job = prepare(desk, std::move(scenario));
        report = begin_report(desk, job, "compared");
        compare_model(with, way, job, report);
    }
    return report;
}

RunReport compare_to_server(const Desk& desk, const std::string& file,
                            databases::ComparedServer& server) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, "compared");
    MemoryWatch memory(desk.asked);
    compare_with_server(
        job, server, within(desk.asked, desk.deadline), [&memory] { return memory.is_exceeded(); },
        report);
    return report;
}

}  // namespace lockkeeper

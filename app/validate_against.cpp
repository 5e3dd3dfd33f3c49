// SPDX-License-Identifier: Apache-2.0

// validate --against SYSTEM/VARIANT SCENARIO...: the scenario's system, or a --program, beside a
// reference (validate/compare/), with the first difference, shrunk, and the command that replays
// it.
#include "app/validate.hpp"
#include "reports/comparison_report.hpp"
#include "reports/findings.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"
#include "validate/compare/make_reference.hpp"

namespace lockkeeper {
namespace {

using against::Against;

against::CompareLimits comparison_limits(const Options& flags) {
    against::CompareLimits limits;
    limits.schedules_max = flags.schedules_max.value_or(limits.schedules_max);
    limits.steps_max = flags.steps_max.value_or(limits.steps_max);
    limits.seconds_max = flags.seconds_max.value_or(limits.seconds_max);
    return limits;
}

RunReport compare_model(const Session& session, Scenario scenario,
                        const RegisteredSystem& reference) {
    const RegisteredSystem* own = session.registry.find(scenario.system, scenario.variant);
    const against::Way way = against::way_of(scenario, own, reference);
    const Job job = prepare(session, std::move(scenario));
    if (!way.is_variant && against::has_faults(job.scenario)) {  // by --set
        throw UsageError("--set: faults of another system than the reference's");
    }
    const ErasedSystem system = job.runner->erased();
    const Against against({system, job.runner->features()},
                          against::make_reference(session.registry, job.scenario, reference, way,
                                                  against::timers_of(system)));
    RunReport report = begin_report(session, job, "compared");
    if (Finding* finding = compare_with_reference(against, comparison_limits(session.options),
                                                  job.scenario.world.callers,
                                                  report.system + "/" + report.variant, report)) {
        finding->trace = job.runner->replay(finding->schedule, {});
        finding->replay_command = replay_command(job, *finding, false);
    }
    return report;
}

RunReport compare_program(const Session& session, Scenario scenario,
                          const RegisteredSystem& reference) {
    const ProgramJob job = program_job(session, scenario);
    const std::vector<CallerConfig> callers = scenario.world.callers;
    const against::Way way = against::way_of(scenario, nullptr, reference);
    against::keep_known(reference, job.world.parameters, scenario.parameters);
    const against::Reference side =
        against::make_reference(session.registry, std::move(scenario), reference, way, {});
    Program program(job.program);
    program.stop_by({ChildProcess::after(session.options.seconds_max.value_or(1e18))});
    const Against against(
        against::program_candidate(program, job.world.world,
                                   {(side.features & kShowsCount) != 0, way.has_clock,
                                    way.has_clock ? job.world.ticks_max : 0}),
        side);
    RunReport report = job.report;
    try {
        if (Finding* finding = compare_with_reference(against, comparison_limits(session.options),
                                                      callers, job.program.command, report)) {
            const auto& comparison = std::get<ReferenceComparison>(report.details);
            finding->trace.steps = comparison.compared.shown->steps;
            finding->replay_command = job.replay_command(to_line(finding->schedule));
        }
    } catch (const Misbehaved& error) {
        throw refused_program(job.program.command, error);
    }
    return report;
}

RunReport compare_file(const Session& session, const std::string& file,
                       const RegisteredSystem& reference) {
    const Scenario scenario = value_or_throw(load_scenario(file));
    RunReport report = session.options.validate.program
                           ? compare_program(session, scenario, reference)
                           : compare_model(session, scenario, reference);
    session.writer->result(report);
    return report;
}

}  // namespace

int validate_against(const Session& session) {
    const RegisteredSystem& reference =
        system_named(session.registry, "--against", *session.options.validate.against);
    if (session.options.files.empty()) {
        throw UsageError("validate: --against needs scenario files");
    }
    Results results;
    results.kind = ResultsKind::kReferenceComparisons;
    results.beside = reference.system + "/" + reference.variant;
    return run_files(
        session, std::move(results), find_files(session.options.files, FileKind::kScenarios),
        [&](const std::string& file) { return compare_file(session, file, reference); });
}

}  // namespace lockkeeper

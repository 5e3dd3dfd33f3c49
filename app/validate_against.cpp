// validate --against SYSTEM/VARIANT SCENARIO...: the scenario's system, or a --program, beside a
// reference (validate/compare/), with the first difference, shrunk, and the command that replays
// it.
#include <ostream>

#include "app/job.hpp"
#include "app/validate.hpp"
#include "app/validate_program.hpp"
#include "reports/against_text.hpp"
#include "reports/conclusion.hpp"
#include "reports/findings.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "validate/compare/make_reference.hpp"

namespace lockkeeper {
namespace {

using against::Against;

const RegisteredSystem& reference_of(const Session& session) {
    const std::string& name = *session.options.validate.against;
    std::vector<std::string> known;
    for (const RegisteredSystem& system : session.registry.systems()) {
        known.push_back(system.system + "/" + system.variant);
        if (known.back() == name) {
            return system;
        }
    }
    throw UsageError("--against: no system \"" + printable(name) + "\"" +
                     nearest_or_known(name, known));
}

// The difference that is shown: null where there is none.
Finding* compare(const Session& session, const Against& against,
                 const std::vector<CallerConfig>& callers, const std::string& candidate,
                 RunReport& report) {
    const Options& flags = session.options;
    against::CompareLimits limits;
    limits.schedules_max = flags.schedules_max.value_or(limits.schedules_max);
    limits.steps_max = flags.steps_max.value_or(limits.steps_max);
    limits.seconds_max = flags.seconds_max.value_or(limits.seconds_max);
    ReferenceComparison& comparison = report.details.emplace<ReferenceComparison>(
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
    if (Finding* finding = compare(session, against, job.scenario.world.callers,
                                   report.system + "/" + report.variant, report)) {
        finding->trace = job.runner->replay(finding->schedule, {});
        finding->replay_command = replay_command(job, *finding, false);
    }
    return report;
}

RunReport compare_program(const Session& session, Scenario scenario,
                          const RegisteredSystem& reference) {
    const ProgramJob job = make_program_job(session, scenario);
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
        if (Finding* finding = compare(session, against, callers, job.program.command, report)) {
            const auto& comparison = std::get<ReferenceComparison>(report.details);
            finding->trace.steps = comparison.compared.shown->steps;
            finding->replay_command = replay_command(session, job, to_line(finding->schedule));
        }
    } catch (const Misbehaved& error) {
        throw BadInput(
            {job.program.command, "", std::string(name_of(error.kind())) + ": " + error.what()});
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
    const RegisteredSystem& reference = reference_of(session);
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

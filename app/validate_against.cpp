// validate --against SYSTEM/VARIANT SCENARIO...: the scenario's system, or a --program, beside a
// reference (validate/compare/), with the first difference, shrunk, and the command that replays
// it.
#include <ostream>

#include "app/job.hpp"
#include "app/validate.hpp"
#include "app/validate_program.hpp"
#include "model/check.hpp"
#include "reports/against_text.hpp"
#include "reports/conclusion.hpp"
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

void compare(const Session& session, const Against& against, std::uint64_t seed,
             AgainstReport& report) {
    const Options& flags = session.options;
    against::CompareLimits limits;
    limits.schedules_max = flags.schedules_max.value_or(limits.schedules_max);
    limits.steps_max = flags.steps_max.value_or(limits.steps_max);
    limits.seconds_max = flags.seconds_max.value_or(limits.seconds_max);
    report.compared = against::compare(against, seed, limits);
    report.verdict = report.compared.verdict;
    report.is_interrupted = interrupt_requested();
}

void compare_model(const Session& session, Scenario scenario, const RegisteredSystem& reference,
                   AgainstReport& report) {
    const RegisteredSystem* own = session.registry.find(scenario.system, scenario.variant);
    const against::Way way = against::way_of(scenario, own, reference);
    const Job job = prepare(session, std::move(scenario));
    if (!way.is_variant && against::has_faults(job.scenario)) {  // by --set
        throw UsageError("--set: faults of another system than the reference's");
    }
    report.candidate = job.scenario.system + "/" + job.scenario.variant;
    const ErasedSystem system = job.runner->erased();
    const Against against({system, job.runner->features()},
                          against::make_reference(session.registry, job.scenario, reference, way,
                                                  against::timers_of(system)));
    compare(session, against, job.scenario.seed, report);
    if (const auto& shown = report.compared.shown) {
        const Schedule schedule{job.scenario.seed, shown->actions};
        report.trace = job.runner->replay(schedule, {});
        report.replay = job.program + " replay " + shell_quoted(job.file) + " --schedule " +
                        shell_quoted(to_line(schedule)) + job.set_flags;
    }
}

void compare_program(const Session& session, Scenario scenario, const RegisteredSystem& reference,
                     AgainstReport& report) {
    const ProgramJob job = make_program_job(session, scenario);
    const against::Way way = against::way_of(scenario, nullptr, reference);
    against::keep_known(reference, job.world.parameters, scenario.parameters);
    const against::Reference side =
        against::make_reference(session.registry, std::move(scenario), reference, way, {});
    Program program(job.program);
    program.stop_by({ChildProcess::after(session.options.seconds_max.value_or(1e18))});
    report.candidate = job.program.command;
    const Against against(
        against::program_candidate(program, job.world.world,
                                   {(side.features & kShowsCount) != 0, way.has_clock,
                                    way.has_clock ? job.world.ticks_max : 0}),
        side);
    try {
        compare(session, against, job.report.seed, report);
    } catch (const Misbehaved& error) {
        throw BadInput(
            {report.candidate, "", std::string(name_of(error.kind())) + ": " + error.what()});
    }
    if (const auto& shown = report.compared.shown) {
        report.trace.steps = shown->steps;
        report.replay = replay_command(session, job, to_line({job.report.seed, shown->actions}));
    }
}

AgainstReport compare_file(const Session& session, const InputFile& file,
                           const RegisteredSystem& reference) {
    AgainstReport report;
    report.file = file.path;
    auto failure = failure_of(session, file, [&] {
        const Scenario scenario = value_or_throw(load_scenario(file.path));
        for (const CallerConfig& caller : scenario.world.callers) {
            report.callers.push_back(caller.name);
        }
        (session.options.validate.program ? compare_program : compare_model)(session, scenario,
                                                                             reference, report);
    });
    if (failure) {
        report.verdict = std::move(*failure);
    }
    return report;
}

}  // namespace

int validate_against(const Session& session) {
    const RegisteredSystem& reference = reference_of(session);
    if (session.options.files.empty()) {
        throw UsageError("validate: --against needs scenario files");
    }
    const std::string name = reference.system + "/" + reference.variant;
    const bool is_text = session.prints_text();
    session.out << (is_text ? against_head_text(name) : "");
    int exit_code = kExitPassed;
    std::vector<AgainstReport> reports;
    for (const InputFile& file : find_files(session.options.files, FileKind::kScenarios)) {
        const AgainstReport& report = reports.emplace_back(compare_file(session, file, reference));
        exit_code = worse_exit_code(exit_code, exit_code_of(report));
        if (is_text && has_answer(report.verdict)) {
            session.out << against_text(report) << std::flush;
        }
    }
    session.out << (is_text ? "" : against_json(name, reports, exit_code));
    return exit_code;
}

}  // namespace lockkeeper

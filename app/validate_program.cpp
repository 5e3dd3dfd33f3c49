// `validate --program`: scenarios against a child that speaks docs/reference/protocol.md. This file
// makes the job of a scenario; validate_levels.cpp runs it.
#include "app/validate_program.hpp"

#include "app/job.hpp"
#include "app/validate.hpp"
#include "app/verbs.hpp"
#include "reports/program_report.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/programs/built_in_scenarios.hpp"
#include "validate/programs/choose_built_ins.hpp"

namespace lockkeeper {
namespace {

ProgramOptions program_of(const Options& options) {
    const ValidateFlags& flags = options.validate;
    ProgramOptions program;
    program.command = *flags.program;
    program.stepped = flags.level.value_or(kLevelDefault) == "stepped";
    program.answer_seconds = flags.answer_seconds.value_or(program.answer_seconds);
    program.parameters = options.numbers;
    return program;
}

}  // namespace

ProgramJob make_program_job(const Session& session, Scenario scenario) {
    const Options& options = session.options;
    take_checks(options, scenario);
    scenario.seed = options.seed.value_or(scenario.seed);
    const bool is_check_of_flag = !options.check.empty();
    ProgramJob job{
        for_program(std::move(scenario), program_of(options), is_check_of_flag), {}, {}, {}};
    if (!job.unseen.empty()) {
        session.complain(
            located(job.scenario, {job.scenario.file, "/reach",
                                   "cannot be seen from outside: " + names_text(job.unseen)})
                .text());
    }
    job.report = program_report(job);
    job.report.command = name_of(options.command);
    return job;
}

std::string replay_command(const Session& session, const ProgramJob& job,
                           const std::string& schedule) {
    std::string command = session.options.program + " validate --program " +
                          shell_quoted(job.program.command) + " " + shell_quoted(job.report.file) +
                          " --replay-choices " + shell_quoted(schedule);
    for (const auto& [name, number] : session.options.numbers) {
        command += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    return command;
}

namespace {

// A scenario, or a trace that an earlier run has written: its run is repeated.
ProgramJob load_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    const std::optional<std::string>& choices = session.options.validate.replay_choices;
    auto loaded = load_for_program(file, program_of(session.options).stepped, lease_time);
    auto* trace = std::get_if<RecordedTrace>(&loaded);
    ProgramJob job =
        make_program_job(session, trace != nullptr ? trace->scenario : std::get<Scenario>(loaded));
    if (trace != nullptr && (choices || !job.program.stepped)) {
        throw BadInput({file, "", "a trace has its own choices, and is replayed step by step"});
    }
    if (trace != nullptr) {
        job.replayed = std::move(trace->schedule);
        job.labels = std::move(trace->labels);
    } else if (choices) {
        job.replayed = schedule_of_flag("--replay-choices", *choices);
    }
    if (session.options.verbose && job.replayed) {
        job.program.on_line = [&session](const std::string& line) {
            session.err << printable(line) << "\n";
        };
    }
    return job;
}

RunReport run_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    ProgramJob job = load_job(session, file, lease_time);
    try {
        (job.program.stepped ? validate_stepped : validate_black_box)(session, job);
    } catch (const Misbehaved& error) {
        // Not a verdict on the lock: the command, or the scenario, is not what was meant.
        const std::string said = last_line(error.last_words());
        throw BadInput({job.program.command, "",
                        std::string(name_of(error.kind())) + ": " + error.what() +
                            (said.empty() ? "" : "; it said " + said)});
    }
    return std::move(job.report);
}

}  // namespace

int validate_program(const Session& session) {
    const Options& options = session.options;
    const ChosenBuiltIns chosen =
        choose_built_ins({program_of(options), options.files, options.validate.process_per_caller,
                          options.seconds_max.value_or(1e18)});
    for (const std::string& why : chosen.left_out) {
        session.complain(why);
    }
    std::vector<InputFile> files;
    for (const std::string& name : chosen.names) {
        files.push_back({name, ""});
    }
    std::vector<std::string> named = options.files;
    std::erase_if(named, [](const std::string& name) { return built_in_named(name) != nullptr; });
    const auto found = find_files(named, FileKind::kScenarios);
    files.insert(files.end(), found.begin(), found.end());
    if (options.validate.replay_choices && files.size() != 1) {
        throw UsageError("--replay-choices: goes with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files, [&](const std::string& file) {
        return run_job(session, file, chosen.lease_time);
    });
}

}  // namespace lockkeeper

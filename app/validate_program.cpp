// `validate --program`: scenarios against a child that speaks docs/PROTOCOL.md. This file makes the
// job of a scenario; validate_levels.cpp runs it.
#include "app/validate_program.hpp"

#include "app/exit_code.hpp"
#include "app/validate.hpp"
#include "app/verbs.hpp"
#include "reports/scope.hpp"
#include "reports/words.hpp"
#include "scenarios/recorded_trace.hpp"
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
    ProgramJob job{for_program(std::move(scenario), options.numbers, !options.check.empty()),
                   program_of(options),
                   {},
                   {},
                   {}};
    if (!job.unseen.empty()) {
        session.complain(
            located(job.scenario, {job.scenario.file, "/reach",
                                   "cannot be seen from outside: " + names_text(job.unseen)})
                .text());
    }
    const WorldConfig& world = job.world.world;
    job.program.keys = world.keys;
    job.program.parameters = job.world.parameters;
    for (const CallerConfig& caller : world.callers) {
        job.program.callers.push_back(caller.name);
    }
    RunReport& report = job.report;
    report.command = name_of(options.command);
    report.file = job.scenario.file;
    report.system = "program";
    report.variant = options.validate.level.value_or(kLevelDefault);
    report.scope = scope_text(world);
    report.short_scope = short_scope_text(world);
    report.seed = job.scenario.seed;
    report.checked = job.world.check;
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

Schedule choices_of(const std::string& line) {
    auto parsed = parse_schedule(line);
    if (const auto* error = std::get_if<ScheduleError>(&parsed)) {
        throw BadInput(
            {"--replay-choices", "character " + std::to_string(error->offset + 1), error->message});
    }
    return std::get<Schedule>(std::move(parsed));
}

// A scenario, or a trace that an earlier run has written: its run is repeated.
ProgramJob load_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    const std::optional<std::string>& choices = session.options.validate.replay_choices;
    const BuiltInScenario* built_in = built_in_named(file, program_of(session.options).stepped);
    auto loaded =
        built_in != nullptr ? parse_replayable(built_in->text, file) : load_replayable(file);
    if (const auto* error = std::get_if<InputError>(&loaded)) {
        throw BadInput(*error);
    }
    if (built_in != nullptr && built_in->of_leases) {
        fit_to_lease(*built_in, lease_time, std::get<Scenario>(loaded));
    }
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
        job.replayed = choices_of(*choices);
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
    return finish(session, for_each_file(session, files, [&](const std::string& file) {
                      return run_job(session, file, chosen.lease_time);
                  }));
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// `validate --program`: scenarios against a child that speaks docs/reference/protocol.md, at one of
// two levels: step by step, or as recorded runs.
#include "app/validate.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/programs/choose_built_ins.hpp"
#include "work/command_file.hpp"
#include "work/judge_history.hpp"
#include "work/marked_history.hpp"
#include "work/measured_program.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

ProgramOptions program_of(const Options& options) {
    const ValidateFlags& flags = options.validate;
    ProgramOptions program;
    program.command = *flags.program;
    program.stepped = flags.level == "stepped";
    program.answer_seconds = flags.answer_seconds.value_or(program.answer_seconds);
    program.parameters = options.numbers;
    return program;
}

}  // namespace

void prepare_job(const Session& session, const std::string& command, ProgramJob& job) {
    if (!job.unseen.empty()) {
        session.complain(
            located(job.scenario, {job.scenario.file, "/reach",
                                   "cannot be seen from outside: " + names_text(job.unseen)})
                .text());
    }
    job.replay_command = [&options = session.options, command](const std::string& schedule) {
        return options.program + " validate " + command + " --replay-choices " +
               shell_quoted(schedule) + set_flags_of(options);
    };
}

ProgramJob program_job(const Session& session, Scenario scenario) {
    const Options& options = session.options;
    ProgramJob job = make_program_job(for_program(laid_over(options, std::move(scenario)),
                                                  program_of(options), !options.check.empty()),
                                      name_of(options.command));
    prepare_job(session,
                "--program " + shell_quoted(job.program.command) + " " +
                    shell_quoted(job.report.file) + given_again(options, {"--check"}),
                job);
    return job;
}

bool names_outside_code(const Options& options) {
    const ValidateFlags& flags = options.validate;
    return names_outside_code(flags.program, flags.wire.has_value(), flags.client);
}

ProgramJob outside_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    const ValidateFlags& flags = session.options.validate;
    const auto loaded = flags.wire ? wire::load_for_wire(file, flags.callers, flags.script)
                                   : load_for_program(file, flags.level == "stepped", lease_time);
    const auto* trace = std::get_if<RecordedTrace>(&loaded);
    ProgramJob job = (flags.wire ? wire_job : program_job)(
        session, trace != nullptr ? trace->scenario : std::get<Scenario>(loaded));
    take_replayed(job, trace, flags.replay_choices);
    return job;
}

void validate_stepped(const Session& session, ProgramJob& job) {
    const Options& flags = session.options;
    OutsideOptions options = stepped_options_of(job);
    options.seconds_max = session.deadline.left(options.seconds_max);
    options.method = flags.validate.search;
    options.preemptions_max = flags.validate.preemptions_max;
    job.report.strategy = job.replayed ? "replay" : name_of(options.method);
    options.corpus = corpus_of(session, job.scenario);
    session.writer->head(job.report);
    ProgressLine line = progress_line(session);
    run_stepped(job, options, line);
    std::vector<Finding>& findings = job.report.findings;
    if (!job.replayed && !findings.empty() && flags.out_directory) {
        Finding written = without_the_look_at_the_end(findings.front());
        write_finding(session, job.scenario, written, job.report);
        findings.front().trace_file = written.trace_file;
    }
}

void keep_history(const Session& session, ProgramJob& job) {
    if (const auto& directory = session.options.out_directory) {
        write_beside(session, job.report,
                     [&] { write_history(job, *directory, output_rule(session, kHistoryMark)); });
    }
}

namespace {

ProgramJob load_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    ProgramJob job = outside_job(session, file, lease_time);
    if (session.options.verbose && job.replayed) {
        job.program.on_line = [&session](const std::string& line) {
            session.err << printable(line) << "\n";
        };
    }
    return job;
}

void validate_black_box(const Session& session, ProgramJob& job) {
    const Options& flags = session.options;
    const std::string model = flags.validate.model.value_or(model_of(job));
    BlackBoxOptions options = black_box_options_of(job);
    options.seconds_max = session.deadline.left(options.seconds_max);
    options.check.seconds_max = std::min(options.check.seconds_max, options.seconds_max);
    options.model = model_named(model);
    options.model_is_chosen = flags.validate.model.has_value();
    options.process_per_caller = flags.validate.process_per_caller;
    options.recovery_seconds = flags.validate.recovery_seconds.value_or(options.recovery_seconds);
    job.report.strategy = "recorded";
    session.writer->head(job.report);
    ProgressLine line = progress_line(session);
    run_recorded(job, options, model, line);
}

RunReport run_file(const Session& session, const std::string& file, std::int64_t lease_time) {
    ProgramJob job = load_job(session, file, lease_time);
    (job.program.stepped ? validate_stepped : validate_black_box)(session, job);
    keep_history(session, job);
    session.writer->result(job.report);
    return std::move(job.report);
}

}  // namespace

int validate_program(const Session& session) {
    const Options& options = session.options;
    const ChosenBuiltIns chosen =
        choose_built_ins({program_of(options), options.files, options.validate.process_per_caller,
                          session.deadline.left()});
    for (const std::string& why : chosen.left_out) {
        session.complain(why);
    }
    const std::vector<InputFile> files =
        files_with(chosen.names, options.files, file_of_command(*options.validate.program));
    if (options.validate.replay_choices && files.size() != 1) {
        throw UsageError("--replay-choices: goes with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files, [&](const std::string& file) {
        return run_file(session, file, chosen.lease_time);
    });
}

}  // namespace lockkeeper

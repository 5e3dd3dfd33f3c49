// SPDX-License-Identifier: Apache-2.0

// `validate --wire`: scenarios put to unmodified clients of a real server.
#include "app/validate.hpp"
#include "scenarios/bad_input.hpp"
#include "work/command_file.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {

std::string wire_flags_again(const Options& options) {
    std::string text = given_again(options, {"--server-command", "--framing", "--processes"});
    for (const wire::FaultRow& row : wire::kFaultRows) {
        text += given_again(options, {wire::flag_of(row.name)});
    }
    return text;
}

ProgramJob wire_job(const Session& session, Scenario scenario) {
    const Options& options = session.options;
    const ValidateFlags& flags = options.validate;
    const wire::WirePlan plan{*flags.wire,
                              *flags.client,
                              flags.freshness,
                              flags.answer_seconds.value_or(wire::WirePlan().answer_seconds),
                              !options.no_sleep_sets,
                              wire::outside_server(flags.outside_command, flags.framing),
                              {}};
    ProgramJob job = make_wire_job(for_wire(laid_over(options, std::move(scenario)), plan,
                                            flags.scope, !options.check.empty()),
                                   name_of(options.command));
    const std::string& file = job.report.file;
    prepare_job(
        session,
        "--wire " + std::string(name_of(*flags.wire)) + " --client " + shell_quoted(*flags.client) +
            (file == wire::kBuiltInWire ? "" : " " + shell_quoted(file)) +
            given_again(options, {"--callers", "--script", "--check"}) + wire_flags_again(options),
        job);
    return job;
}

int validate_wire(const Session& session) {
    const Options& options = session.options;
    const bool is_built_in = options.files.empty();
    static_cast<void>(names_outside_code(options));
    if (!is_built_in && (is_given(options, "--callers") || is_given(options, "--script"))) {
        throw UsageError("validate: --callers and --script make a scenario where no FILE is given");
    }
    if (options.validate.replay_choices && options.files.size() > 1) {
        throw UsageError("--replay-choices: goes with one scenario");
    }
    const std::vector<InputFile> files =
        is_built_in ? std::vector<InputFile>{{wire::kBuiltInWire, "",
                                              file_of_command(*options.validate.client)}}
                    : find_files(options.files, FileKind::kScenarios);
    return run_files(session, ResultsKind::kRuns, files, [&](const std::string& file) {
        ProgramJob job = outside_job(session, file);
        validate_stepped(session, job);
        keep_history(session, job);
        session.writer->result(job.report);
        return std::move(job.report);
    });
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// `validate --history FILE --model M`: a recorded history against a model.
#include "app/validate.hpp"
#include "scenarios/bad_input.hpp"
#include "work/judge_history.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

RunReport judge(const Session& session, const std::string& file, const ModelChoice& model) {
    const Options& options = session.options;
    const std::string& name = *options.validate.model;
    RunReport report;
    report.command = name_of(options.command);
    report.file = file;
    report.repeat_command =
        options.program + " validate --history " + shell_quoted(file) + " --model " +
        shell_quoted(name) +
        given_again(options, {"--sort-by-time", "--clock-tolerance", "--time-unit"});
    JudgedHistory& judged =
        report.details.emplace<JudgedHistory>(read_for_judgement(file, options.validate.order));
    judged.model = name;
    session.writer->head(report);
    const Overlay left = within(options, session.deadline);
    judge_history(model, history_limits(left.seconds_max, options.bytes_max), judged, report);
    session.writer->result(report);
    return report;
}

}  // namespace

int validate_history(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
    if (!flags.model) {
        throw UsageError("validate: --history needs --model (see `lockkeeper list`)");
    }
    const ModelChoice model = model_named(*flags.model);
    if (!session.options.files.empty()) {
        throw UsageError("validate: --history takes no scenario files");
    }
    return run_files(session, ResultsKind::kHistories, {{*flags.history, ""}},
                     [&](const std::string& file) { return judge(session, file, model); });
}

}  // namespace lockkeeper

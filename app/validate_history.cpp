// `validate --history FILE --model M`: a recorded history against a model.
#include <ostream>

#include "app/validate.hpp"
#include "reports/conclusion.hpp"
#include "reports/history_report.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/histories/count_answers.hpp"

namespace lockkeeper {
namespace {

ModelChoice chosen_model(const ValidateFlags& flags) {
    if (!flags.model) {
        throw UsageError("validate: --history needs --model (see `lockkeeper list`)");
    }
    auto parsed = parse_model(*flags.model);
    if (const auto* error = std::get_if<ModelError>(&parsed)) {
        throw UsageError("--model: " + printable(error->message) +
                         (error->unknown_name.empty()
                              ? ""
                              : nearest_or_known(error->unknown_name, error->known_names)));
    }
    return std::get<ModelChoice>(parsed);
}

CheckLimits limits_of(const Options& options) {
    CheckLimits limits;
    limits.seconds_max = options.seconds_max.value_or(limits.seconds_max);
    limits.bytes_max = options.bytes_max.value_or(limits.bytes_max);
    limits.stop = [] { return interrupt_requested(); };
    return limits;
}

[[noreturn]] void refuse(const HistoryError& error) {
    const std::vector<std::string_view> known(error.known_words.begin(), error.known_words.end());
    HistoryError place = error;
    place.message.clear();
    std::string where = place.to_text();
    where.resize(where.size() - 2);  // ": "
    throw BadInput({where, "", error.message + did_you_mean(error.unknown_word, known)});
}

RunReport judge(const Session& session, const std::string& file, const ModelChoice& model) {
    const ValidateFlags& flags = session.options.validate;
    ReadHistory read = read_history(file);
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        refuse(*error);
    }
    RunReport report;
    report.command = name_of(session.options.command);
    report.file = file;
    report.repeat_command = session.options.program + " validate --history " + shell_quoted(file) +
                            " --model " + shell_quoted(*flags.model) + flags.order_flags;
    JudgedHistory& judged = report.details.emplace<JudgedHistory>();
    judged.history = std::get<RecordedHistory>(std::move(read));
    judged.model = *flags.model;
    if (const auto error = order_records(judged.history, flags.order)) {
        refuse(*error);
    }
    session.writer->head(report);
    auto checked = check_history(judged.history, model, limits_of(session.options));
    if (const auto* error = std::get_if<HistoryError>(&checked)) {
        refuse(*error);
    }
    judged.check = std::get<HistoryCheck>(std::move(checked));
    judged.answers = count_answers(judged.history);
    judged.not_judged = what_was_not_judged(judged.history, judged.answers, model);
    // That nothing was granted says more than that nothing was left to judge.
    const bool is_doubted = !judged.not_judged.empty() && !is<Violated>(judged.check.verdict);
    report.verdict =
        is_doubted ? Verdict(Inconclusive{"", judged.not_judged}) : judged.check.verdict;
    report.seconds = judged.check.seconds;
    report.is_interrupted = interrupt_requested();
    session.writer->result(report);
    return report;
}

}  // namespace

int validate_history(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
    const ModelChoice model = chosen_model(flags);
    if (!session.options.files.empty()) {
        throw UsageError("validate: --history takes no scenario files");
    }
    return run_files(session, ResultsKind::kHistories, {{*flags.history, ""}},
                     [&](const std::string& file) { return judge(session, file, model); });
}

}  // namespace lockkeeper

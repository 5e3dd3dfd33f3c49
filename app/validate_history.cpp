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

int refuse(const Session& session, const HistoryError& error) {
    const std::vector<std::string_view> known(error.known_words.begin(), error.known_words.end());
    return end_without_result(session, kExitInput,
                              error.to_text() + did_you_mean(error.unknown_word, known));
}

}  // namespace

int validate_history(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
    const ModelChoice model = chosen_model(flags);
    if (!session.options.files.empty()) {
        throw UsageError("validate: --history takes no scenario files");
    }
    ReadHistory read = read_history(*flags.history);
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        return refuse(session, *error);
    }
    RecordedHistory& history = std::get<RecordedHistory>(read);
    if (const auto error = order_records(history, flags.order)) {
        return refuse(session, *error);
    }
    const bool is_text = session.prints_text();
    if (is_text) {
        session.out << history_head_text(history, *flags.model) << std::flush;
    }
    const auto checked = check_history(history, model, limits_of(session.options));
    if (const auto* error = std::get_if<HistoryError>(&checked)) {
        return refuse(session, *error);
    }
    const HistoryCheck& check = std::get<HistoryCheck>(checked);
    const AnswerCounts answers = count_answers(history);
    const std::string not_judged = what_was_not_judged(history, answers, model);
    // That nothing was granted says more than that nothing was left to judge.
    const bool is_doubted = !not_judged.empty() && !is<Violated>(check.verdict);
    const Verdict verdict = is_doubted ? Inconclusive{"", not_judged} : check.verdict;
    const HistoryReport report{history,
                               check,
                               *flags.model,
                               session.options.program + " validate --history " +
                                   shell_quoted(*flags.history) + " --model " +
                                   shell_quoted(*flags.model) + flags.order_flags,
                               verdict,
                               exit_code_of(Conclusion{verdict, interrupt_requested()}),
                               answers,
                               not_judged,
                               session.options.verbose};
    session.out << (is_text ? history_body_text(report) : history_json(report)) << std::flush;
    return report.exit_code;
}

}  // namespace lockkeeper

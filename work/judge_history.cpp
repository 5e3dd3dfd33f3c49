// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/printable.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/units.hpp"
#include "validate/histories/count_answers.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
namespace {

[[noreturn]] void refuse(const HistoryError& error) {
    const std::vector<std::string_view> known(error.known_words.begin(), error.known_words.end());
    HistoryError place = error;
    place.message.clear();
    std::string where = place.to_text();
    where.resize(where.size() - 2);  // ": "
    throw BadInput({where, "", error.message + did_you_mean(error.unknown_word, known)});
}

}  // namespace

ModelChoice model_named(const std::string& name) {
    auto parsed = parse_model(name);
    if (const auto* error = std::get_if<ModelError>(&parsed)) {
        throw UsageError("--model: " + printable(error->message) +
                         (error->unknown_name.empty()
                              ? ""
                              : nearest_or_known(error->unknown_name, error->known_names)));
    }
    return std::get<ModelChoice>(std::move(parsed));
}

bool set_clock_tolerance(const std::string& text, OrderChoice& order) {
    const auto number = parse_whole(text, kTimeMax);
    if (number && *number >= 0) {
        order.tolerance = number;
        return true;
    }
    order.tolerance_seconds = number ? std::nullopt : parse_duration(text);
    return order.tolerance_seconds.has_value();
}

bool set_time_unit(const std::string& text, OrderChoice& order) {
    constexpr std::int64_t kPerSecond[] = {1'000'000'000, 1'000'000, 1'000, 1};
    const auto unit = std::find(std::begin(kHistoryTimeUnits), std::end(kHistoryTimeUnits), text);
    if (unit != std::end(kHistoryTimeUnits)) {
        order.units_per_second = kPerSecond[unit - kHistoryTimeUnits];
    }
    return unit != std::end(kHistoryTimeUnits);
}

CheckLimits history_limits(std::optional<double> seconds_max,
                           std::optional<std::uint64_t> bytes_max) {
    CheckLimits limits;
    limits.seconds_max = seconds_max.value_or(limits.seconds_max);
    limits.bytes_max = bytes_max.value_or(limits.bytes_max);
    limits.stop = [] { return interrupt_requested(); };
    return limits;
}

JudgedHistory read_for_judgement(const std::string& file, const OrderChoice& order) {
    ReadHistory read = read_history(file);
    if (const auto* error = std::get_if<HistoryError>(&read)) {
        refuse(*error);
    }
    JudgedHistory judged;
    judged.history = std::get<RecordedHistory>(std::move(read));
    if (const auto error = order_records(judged.history, order)) {
        refuse(*error);
    }
    return judged;
}

void judge_history(const ModelChoice& model, const CheckLimits& limits, JudgedHistory& judged,
                   RunReport& report) {
    auto checked = check_history(judged.history, model, limits);
    if (const auto* error = std::get_if<HistoryError>(&checked)) {
        refuse(*error);
    }
    judged.check = std::get<HistoryCheck>(std::move(checked));
    judged.answers = count_answers(judged.history);
    judged.not_judged = what_was_not_judged(judged.history, judged.answers, model);
    judged.effects_not_judged = unjudged_effects_text(judged.check, model);
    // "Nothing was granted" says more than "nothing was left to judge", so it replaces that reason.
    const bool is_doubted = !judged.not_judged.empty() && !is<Violated>(judged.check.verdict);
    report.verdict =
        is_doubted ? Verdict(Inconclusive{"", judged.not_judged}) : judged.check.verdict;
    report.seconds = judged.check.seconds;
    report.is_interrupted = interrupt_requested();
}

RunReport judge_history_file(const Desk& desk, const std::string& file, const ModelChoice& model) {
    const Asked& options = desk.asked;
    const std::string& name = *options.validate.model;
    RunReport report;
    report.command = options.command;
    report.file = file;
    report.repeat_command =
        options.program + " validate --history " + shell_quoted(file) + " --model " +
        shell_quoted(name) +
        given_again(options, {"--sort-by-time", "--clock-tolerance", "--time-unit"});
    JudgedHistory& judged =
        report.details.emplace<JudgedHistory>(read_for_judgement(file, options.validate.order));
    judged.model = name;
    desk.head(report);
    const Overlay left = within(options, desk.deadline);
    judge_history(model, history_limits(left.seconds_max, options.bytes_max), judged, report);
    return report;
}

}  // namespace lockkeeper

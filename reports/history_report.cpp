// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownOperations = 12;
constexpr std::size_t kHoldersTextMax = 300;

std::string_view word_of(const Rung& rung) {
    return rung.verdict ? name_of(*rung.verdict, {"satisfied", Violated::kName}) : "not applicable";
}

// "acquire by 2 (line 4)"
std::string operation_text(const RecordedHistory& history, std::size_t position) {
    const Record& record = history.records[position];
    const std::string value =
        record.value.is(Datum::Kind::kNil) ? "" : " " + record.value.to_text();
    return printable(fmt::format("{}{} by {} ({})", record.f, value, record.process,
                                 history.place_of(position)));
}

std::string cut_to_some(const std::string& text) {
    return text.size() <= kHoldersTextMax
               ? text
               : text.substr(0, text.rfind(", ", kHoldersTextMax)) + ", ...";
}

std::string explanation_text(const RecordedHistory& history, const Explanation& one,
                             bool is_whole) {
    const std::string& limit = detail_of(one.verdict);
    std::string out = fmt::format("\n{}{}{}\n", name_of(one.verdict),
                                  one.key.empty() ? "" : ": key " + printable(one.key),
                                  limit.empty() ? "" : ", " + limit);
    if (!one.invocation) {
        return out;
    }
    out += fmt::format("longest prefix that {} explained: {}, placed in this order\n",
                       limit.empty() ? "can be" : "was found that can be",
                       counted(one.order.size(), "operation"));
    std::size_t first = 0;
    if (!is_whole && one.order.size() > kShownOperations) {
        first = one.order.size() - kShownOperations;
        out += fmt::format("  ... {} before\n", first);
    }
    for (std::size_t i = first; i < one.order.size(); ++i) {
        out += fmt::format("  {:>4}  {}\n", i + 1, operation_text(history, one.order[i]));
    }
    const std::size_t end = *one.completion;
    out += fmt::format("{}: {}, which ended in {}\n",
                       is<Violated>(one.verdict) ? "cannot be placed" : "not placed yet",
                       operation_text(history, *one.invocation), history.place_of(end));
    out += "reason: " + printable(one.reason) + "\n";
    out += "holds at that moment: " + printable(cut_to_some(one.holders)) + "\n";
    return out;
}

const char* word_of(RecordOrder order) {
    constexpr const char* kWords[] = {"file", "index", "time"};
    return kWords[static_cast<std::size_t>(order)];
}

// Nothing where each record comes before the next.
std::string order_text(const RecordedHistory& history) {
    const std::size_t concurrent = history.concurrent_records;
    return concurrent == 0
               ? ""
               : fmt::format(
                     "order by time: {}, at equal times or at times that fall, {} taken for "
                     "concurrent\n",
                     counted(concurrent, "record"), concurrent == 1 ? "is" : "are");
}

// A pass says what it does not cover.
std::string unjudged_text(const RunReport& report, const JudgedHistory& judged) {
    const bool is_told = is<Passed>(report.verdict) && !judged.effects_not_judged.empty();
    return is_told ? "; " + judged.effects_not_judged : "";
}

std::string ladder_text(const HistoryCheck& check) {
    std::string out = check.ladder.empty() ? "" : "\nladder of contracts\n";
    for (const Rung& rung : check.ladder) {
        out += fmt::format("  {:<15} {:<19} {}{}\n", word_of(rung), rung.name, rung.contract,
                           rung.detail.empty() ? "" : " (" + printable(rung.detail) + ")");
    }
    if (!check.ladder.empty()) {
        out += "tightest contract satisfied: " +
               (check.tightest ? check.ladder[*check.tightest].contract : "none of these") + "\n";
    }
    return out;
}

Json operation_json(const RecordedHistory& history, std::size_t position) {
    const Record& record = history.records[position];
    return {{"record", position + 1},
            {"line", record.line > 0 ? Json(record.line) : Json(nullptr)},
            {"process", record.process},
            {"f", record.f}};
}

Json explanation_json(const RecordedHistory& history, const Explanation& one) {
    Json json;
    json["key"] = or_null(one.key);
    json["verdict"] = name_of(one.verdict);
    const auto* undecided = std::get_if<Inconclusive>(&one.verdict);
    json["limit"] = or_null(undecided == nullptr ? "" : undecided->limit);
    json["prefix"] =
        list_of(one.order, [&](std::size_t position) { return operation_json(history, position); });
    json["unplaced"] = one.invocation ? operation_json(history, *one.invocation) : Json(nullptr);
    json["returned"] = one.completion ? Json(*one.completion + 1) : Json(nullptr);
    json["reason"] = one.reason;
    json["holders"] = one.holders;
    return json;
}

// A whole number where the ticks divide evenly.
Json in_units(std::int64_t ticks, std::int64_t ticks_per_unit) {
    return ticks % ticks_per_unit == 0
               ? Json(ticks / ticks_per_unit)
               : Json(static_cast<double>(ticks) / static_cast<double>(ticks_per_unit));
}

Json rung_json(const Rung& rung) {
    return {{"name", rung.name},
            {"contract", rung.contract},
            {"verdict", word_of(rung)},
            {"detail", rung.detail},
            {"excess", or_null(rung.excess)},
            {"duration", rung.duration ? in_units(*rung.duration, rung.ticks) : Json(nullptr)}};
}

}  // namespace

std::string history_scope_text(const HistoryCheck& check) {
    return fmt::format(
        "{}: {}, {} of them open for ever, on {}: {} passed, {} violated; {} in {}",
        check.keys_passed + check.keys_violated == check.keys ? "complete" : "bounded",
        counted(check.operations, "operation"), with_commas(check.operations_open),
        counted(check.keys, "key"), with_commas(check.keys_passed),
        with_commas(check.keys_violated), counted(check.states, "configuration"),
        seconds_text(check.seconds));
}

std::string history_head_text(const JudgedHistory& judged) {
    const RecordedHistory& history = judged.history;
    return fmt::format(
        "{}  model {}  scope: {}\nfile {}\n{}", build_text(), printable(judged.model),
        counted(history.records.size(), "record") +
            (history.nemesis_records > 0 ? fmt::format(", {} of the nemesis left out",
                                                       counted(history.nemesis_records, "record"))
                                         : ""),
        printable(history.file), order_text(history));
}

std::string history_body_text(const RunReport& report, const JudgedHistory& judged, bool is_whole) {
    const HistoryCheck& check = judged.check;
    std::string out;
    for (const Explanation& one : check.explanations) {
        out += explanation_text(judged.history, one, is_whole);
    }
    out += ladder_text(check);
    out += fmt::format("\nanswers: {}\nverdict: {}{}\n", judged.answers.to_text(),
                       verdict_text(report.verdict), unjudged_text(report, judged));
    const std::string flag = flag_beyond(check.limit);
    out += is<Inconclusive>(report.verdict) && !flag.empty() ? next_text({flag}) : "";
    out += "scope: " + history_scope_text(check) + "\n";
    return out + "validate: " + report.repeat_command + "\n";
}

nlohmann::ordered_json history_document(const RunReport& report, const JudgedHistory& judged) {
    const HistoryCheck& check = judged.check;
    const RecordedHistory& history = judged.history;
    const AnswerCounts& answers = judged.answers;
    Json json = document_head("history", 1);
    json["command"] = "validate";
    json["file"] = history.file;
    json["model"] = judged.model;
    json["verdict"] = name_of(report.verdict);
    json["limit"] = or_null(check.limit);
    json["not_judged"] = or_null(judged.not_judged);
    json["exit_code"] = exit_code_of(report);
    json["records"] = history.records.size();
    json["nemesis_records"] = history.nemesis_records;
    json["order"] = word_of(history.order);
    json["concurrent_records"] = history.concurrent_records;
    json["clock_tolerance"] = in_units(history.clock_tolerance, history.times.ticks_in_reports());
    json["answers"] = {{"grants", answers.grants},
                       {"refusals", answers.refusals},
                       {"errors", answers.errors},
                       {"indefinite_answers", answers.indefinite_answers}};
    json["effects"] = check.effects;
    json["effects_not_judged"] = check.effects_unjudged;
    json["operations"] = check.operations;
    json["operations_open"] = check.operations_open;
    json["keys"] = check.keys;
    json["keys_passed"] = check.keys_passed;
    json["keys_violated"] = check.keys_violated;
    json["configurations"] = check.states;
    json["seconds"] = check.seconds;
    json["explanations"] = list_of(
        check.explanations, [&](const Explanation& one) { return explanation_json(history, one); });
    json["calls"] = history_calls(history);
    json["ladder"] = list_of(check.ladder, rung_json);
    json["tightest"] = check.tightest ? Json(check.ladder[*check.tightest].name) : Json(nullptr);
    json["validate"] = report.repeat_command;
    return json;
}

}  // namespace lockkeeper

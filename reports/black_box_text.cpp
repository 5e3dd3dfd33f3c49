// SPDX-License-Identifier: Apache-2.0
#include "reports/black_box_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/run_text.hpp"
#include "reports/stepped_text.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string describe_record(const Record& record) {
    return record.process + " " + record.f + (record.key.empty() ? "" : " " + record.key) + " " +
           std::string(name_of(record.type)) +
           (record.error.empty() ? "" : " (" + printable(record.error) + ")");
}

constexpr std::size_t kShownRecords = 20;

// The records up to the last marked one: all of the last kShownRecords, before them only those
// marked. A marked record shows what is wrong.
std::string records_text(const RecordedHistory& history, const std::vector<std::size_t>& marked) {
    const std::size_t end = std::min(marked.back() + 1, history.records.size());
    std::string out;
    bool skipped = false;
    for (std::size_t i = 0; i < end; ++i) {
        const bool is_it = std::find(marked.begin(), marked.end(), i) != marked.end();
        if (!is_it && i + kShownRecords < end) {
            out += skipped ? "" : "         ...\n";
            skipped = true;
            continue;
        }
        skipped = false;
        out += fmt::format("{} {:>5}  {}\n", is_it ? "!" : " ", i + 1,
                           describe_record(history.records[i]));
    }
    return out;
}

std::string explanation_text(const BlackBoxResult& result) {
    if (result.finding) {
        return "the history, up to what shows it:\n" +
               records_text(result.history, result.finding->records);
    }
    if (is<Violated>(result.verdict) && !result.check->explanations.empty()) {
        const Explanation& explanation = result.check->explanations.front();
        if (!explanation.invocation) {
            return "";
        }
        const std::size_t call = *explanation.invocation;
        return "the history, up to the operation that cannot be placed:\n" +
               records_text(result.history, {call, explanation.completion.value_or(call)});
    }
    return "";
}

// Where nobody has chosen a model, a history whose grants say "until" is judged by that.
std::string judged_as(const std::string& model, const BlackBoxResult& result) {
    std::string judged = result.judged_by_model || !result.has_until
                             ? "judged as " + model + (result.has_until ? " and by \"until\"" : "")
                             : "judged by \"until\"";
    if (result.judged_by_tokens) {
        judged += " and by the order of tokens";
    }
    return judged;
}

}  // namespace

std::string black_box_text(const RunReport& report, const BlackBoxAnswer& answer) {
    const BlackBoxResult& result = answer.result;
    std::string out = explanation_text(result) + goals_text(report);
    out += result.misbehaviour ? last_words_text(result.last_words) : "";
    out += fmt::format("{:<24}{}\n{:<24}{}\n{:<24}{}\n", "operations",
                       with_commas(result.operations), "answers", result.tally.answers.to_text(),
                       "runs cut at --max-steps", with_commas(result.tally.answers.cut_runs));
    out += fmt::format("{:<24}{}\n{:<24}{}\n", "crashes", with_commas(result.crashes), "time",
                       seconds_text(result.seconds));
    for (const std::string& remark : result.tally.remarks_of_open()) {
        out += remark + "\n";
    }
    return out + passed_over_text(report) +
           foot_text(report,
                     "bounded: " + counted(result.schedules, "recorded run") + ", " +
                         report.short_scope + ", " + judged_as(answer.model, result),
                     "");
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reports/texts.hpp"
#include "work/results/run_report.hpp"
#include "work/results/told.hpp"
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

std::uint64_t states_of(const SweptTable& table) {
    std::uint64_t states = 0;
    for (const SweptPoint& point : table.results) {
        states += point.states;
    }
    return states;
}

std::string violations_text(const SweptPoint& point) {
    std::string text;
    for (const SweptViolation& violation : point.violations) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name_of(violation),
                            counted(violation.steps, "step"));
    }
    return text;
}

std::string rates_text(const MeasuredPoint& measured) {
    const MeasureResult& result = measured.result;
    if (!has_figures(result)) {
        return "no figures";
    }
    std::string text;
    for (const PropertyRates& rates : result.properties) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rates.property->name,
                            with_interval(rates.per_run, is_sampled(result)));
    }
    const std::string how =
        is_sampled(result) ? counted(result.runs, "run") : counted(result.states, "state");
    return fmt::format("{} ({}, {})", text, name_of(result.method), how);
}

bool is_told(const Sweep& sweep, const SweepPoint& point, const SweptPoint& result) {
    bool is_told = !result.complete || result.measured.has_value();
    for (const SweptViolation& violation : result.violations) {
        is_told = is_told || !is_expected(sweep, point, violation);
    }
    return is_told;
}

// The head, and a line for each point that was measured or has a finding that the sweep does not
// expect, then totals.
std::string sweep_head(const SweptTable& table) {
    return fmt::format("{}  scope: {}\n{}\n", build_text(), counted(table.points.size(), "point"),
                       table.sweep.about);
}

std::string sweep_text(const RunReport& report, const SweptTable& table) {
    std::string text;
    std::size_t found = 0;
    std::size_t cut = 0;
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const SweptPoint& result = table.results[i];
        found += result.violations.empty() ? 0U : 1U;
        cut += result.complete ? 0U : 1U;
        if (is_told(table.sweep, table.points[i], result)) {
            text += fmt::format(
                "  {}: {}{}\n", point_text(table.sweep, table.points[i]),
                result.complete ? "" : "NOT complete, " + what_ended(result) + " ",
                result.measured ? rates_text(*result.measured) : violations_text(result));
        }
    }
    text += counted(table.points.size(), "point");
    text += table.sweep.measuring ? " measured"
                                  : fmt::format(", {} with a finding", with_commas(found));
    text += fmt::format(", {} not complete, {}, {}\n", with_commas(cut),
                        counted(states_of(table), "state"), seconds_text(report.seconds));
    return text + "verdict: " + verdict_text(report.verdict, {}) + "\n";
}

std::string outcome_text(const RunReport& report) {
    std::string text = verdict_text(report);
    if (report.explored) {
        text += ", " + counted(report.explored->states, "state");
    } else if (report.fuzzed) {
        text += ", " + counted(report.fuzzed->schedules, "schedule");
    } else if (report.replayed) {
        text += ", " + counted(report.replayed->steps.size(), "step");
    }
    for (const RateCheck& check : report.rates) {
        text += fmt::format(", {} {:.3g} per run ({})", check.property->name, check.rate.value,
                            name_of(check.method));
    }
    return text + ", " + seconds_text(report.seconds);
}

// One line for a scenario that is a test; where it fails, the files that were written with it.
std::string test_text(const RunReport& report) {
    const bool is_met = is<Passed>(*report.met);
    std::string text =
        fmt::format("{:<9}  {}  {}\n",
                    is_met                 ? "ok"
                    : is_undecided(report) ? "UNDECIDED"
                                           : "FAILED",
                    printable(report.file), is_met ? outcome_text(report) : detail_of(*report.met));
    for (const std::string& file : report.files_written) {
        text += is_met ? "" : "           written: " + printable(file) + "\n";
    }
    return text;
}

// The text of each kind of answer after its first lines.
struct Body {
    const RunReport& report;
    bool is_verbose;

    std::string operator()(const std::monostate& /*none*/) const {
        return report.met ? test_text(report) : body_text(report) + foot_text(report);
    }
    std::string operator()(const EveryNumber& numbers) const {
        return every_number_text(report, numbers);
    }
    std::string operator()(const CheckedStates& checked) const {
        return checked_states_text(report, checked);
    }
    std::string operator()(const Measurement& measured) const {
        return measure_body(report, measured) + measure_foot(report, measured);
    }
    std::string operator()(const SweptTable& table) const { return sweep_text(report, table); }
    std::string operator()(const SteppedAnswer& answer) const {
        return stepped_text(report, answer);
    }
    std::string operator()(const BlackBoxAnswer& answer) const {
        return black_box_text(report, answer);
    }
    std::string operator()(const JudgedHistory& judged) const {
        return history_body_text(report, judged, is_verbose);
    }
    std::string operator()(const ServerComparison& compared) const {
        return server_comparison_text(report, compared);
    }
    std::string operator()(const ThreadsAnswer& answer) const { return answer.printed; }
    std::string operator()(const ExplainedAnswer& answer) const { return answer.printed; }
    std::string operator()(const ReferenceComparison& comparison) const {
        return against_text(report, comparison);
    }
};

}  // namespace

std::string answer_head(const RunReport& report, bool is_verbose) {
    if (const auto* measured = std::get_if<Measurement>(&report.details)) {
        return measure_head(report, *measured);
    }
    if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
        return history_head_text(*judged);
    }
    if (const auto* table = std::get_if<SweptTable>(&report.details)) {
        return sweep_head(*table);
    }
    const bool has_about = is_verbose && !report.about.empty();
    return head_text(report) + (has_about ? report.about + "\n" : "");
}

std::string answer_text(const RunReport& report, bool is_verbose) {
    return std::visit(Body{report, is_verbose}, report.details);
}

std::string whole_text(const RunReport& report) {
    if (!has_answer(report.verdict)) {
        return detail_of(report.verdict) + "\n";
    }
    const bool has_details = !std::holds_alternative<std::monostate>(report.details);
    // The steps of a test that passed have no words.
    const bool has_words = !report.replayed || report.replayed->steps.empty() ||
                           !report.replayed->steps.front().text.empty();
    return answer_head(report, false) + (has_details || !has_words
                                             ? answer_text(report, false)
                                             : body_text(report) + foot_text(report));
}

}  // namespace lockkeeper

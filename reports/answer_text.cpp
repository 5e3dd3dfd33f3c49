// SPDX-License-Identifier: Apache-2.0
#include "reports/answer_text.hpp"

#include <fmt/format.h>

#include "reports/against_text.hpp"
#include "reports/black_box_text.hpp"
#include "reports/every_number_text.hpp"
#include "reports/history_report.hpp"
#include "reports/measure_text.hpp"
#include "reports/run_text.hpp"
#include "reports/server_comparison.hpp"
#include "reports/stepped_text.hpp"
#include "reports/sweep_report.hpp"
#include "work/results/measure_words.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

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

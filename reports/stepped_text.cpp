// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <fmt/format.h>

#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string bound_text(const OutsideResult& result) {
    if (!result.preemptions_done || *result.preemptions_done == UINT32_MAX) {
        return "";
    }
    return fmt::format(", complete up to {}", counted(*result.preemptions_done, "interruption"));
}

std::string scope_line(const RunReport& report, const SteppedAnswer& answer) {
    if (!answer.searched) {
        return "one run: " + counted(report.replayed->steps.size(), "step") + ", " +
               report.short_scope;
    }
    const OutsideResult& result = *answer.searched;
    const auto width = static_cast<std::uint64_t>(answer.tick_width);
    const std::string clock =
        answer.has_ticks
            ? fmt::format(", {} of the clock{}",
                          counted(static_cast<std::uint64_t>(answer.ticks_max), "tick"),
                          width > 1 ? " of " + with_commas(width) : "")
            : "";
    const std::string tail =
        report.short_scope + ", " + counted(result.schedules, "schedule") + clock;
    if (result.complete) {
        return "complete: " + tail;
    }
    if (result.finding) {
        return "stopped at the first violation: " + tail;
    }
    return "bounded" + (result.limit.empty() ? "" : " (" + result.limit + ")") + ": " + tail +
           bound_text(result);
}

std::string limit_words(const std::string& limit) {
    return limit == "schedules"         ? "explore ended by its budget after "
           : limit == "time"            ? "explore ended by its half of the time after "
           : limit == "interrupted"     ? "explore was interrupted after "
           : limit == "first violation" ? "explore found it after "
                                        : "explore ended within its bounds after ";
}

// The extent of each part of a search that explores first and then draws at random.
std::string both_text(const OutsideResult& result) {
    if (!result.explored_first) {
        return "";
    }
    const ExploredFirst& first = *result.explored_first;
    return fmt::format("{:<24}{}{}; random: {}\n", "searches", limit_words(first.limit),
                       counted(first.schedules, "schedule"),
                       with_commas(result.schedules - first.schedules));
}

// For a search that ended with nothing found and something left.
std::string to_try_text(const RunReport& report, const OutsideResult& result) {
    if (result.complete || result.finding || !result.diverged.empty() ||
        result.limit == "interrupted") {
        return "";
    }
    std::vector<std::string> flags;
    if (result.limit == "schedules") {
        flags.push_back(fmt::format("--schedules {}", 10 * (result.schedules + result.reduced)));
    } else if (result.limit == "time") {
        flags.push_back(flag_beyond("time"));
    }
    if (result.tally.answers.cut_runs > 0) {
        flags.push_back(flag_beyond("steps"));
    }
    if (result.limit.empty() && result.preemptions_done && *result.preemptions_done != UINT32_MAX) {
        flags.push_back(fmt::format("--preemptions {}", *result.preemptions_done + 1));
    }
    if (report.strategy != name_of(OutsideMethod::kRandom)) {
        flags.emplace_back("--search random");
    }
    flags.emplace_back("fewer callers or calls, to explore all of them");
    return next_text(flags);
}

std::string summary_text(const OutsideResult& result, bool judges_histories) {
    std::string out = fmt::format("{:<24}{}\n", "schedules", with_commas(result.schedules));
    out += both_text(result);
    out += fmt::format("{:<24}{}\n", "steps", with_commas(result.steps));
    if (result.reduced > 0) {
        out += fmt::format("{:<24}{}, {}\n", "runs left early", with_commas(result.reduced),
                           seconds_text(result.reduced_seconds));
    }
    if (result.states > 0) {
        out += fmt::format("{:<24}{}\n", "distinct states", with_commas(result.states));
    }
    const AnswerCounts& answers = result.tally.answers;
    out += fmt::format("{:<24}{}\n", "answers", answers.to_text());
    if (answers.cut_runs > 0) {
        out += fmt::format("{:<24}{}\n", "cut at --max-steps", with_commas(answers.cut_runs));
    }
    if (result.tally.runs_out_of_time > 0) {
        out += fmt::format("{:<24}{}\n", "cut at the clock's end",
                           with_commas(result.tally.runs_out_of_time));
    }
    if (!result.calls.model.empty() && judges_histories) {
        out += fmt::format("{:<24}judged as {}\n", "history", result.calls.model);
    }
    return out + fmt::format("{:<24}{}, {} schedules\n", "time", seconds_text(result.seconds),
                             rate_text(result.schedules, result.seconds));
}

}  // namespace

std::string passed_over_text(const RunReport& report) {
    std::string out;
    for (const PassedOver& passed : report.passed_over) {
        out += counted(passed.operations, "operation") + " passed over: " + passed.why + "\n";
    }
    return out;
}

std::string last_words_text(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += "    " + printable(text.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out.empty() ? "" : "its last lines on stderr:\n" + out;
}

std::string stepped_text(const RunReport& report, const SteppedAnswer& answer) {
    const bool is_search = answer.searched.has_value();
    std::string out = answer.is_cut_short && is_search
                          ? "stopped before the run could be shown to its end\n"
                          : "";
    out += answer.misbehaves && is_search ? "the run at whose end it happens:\n" : "";
    out += body_text(report);
    if (!answer.calls.reason.empty()) {
        out += "no order explains the history: " + printable(answer.calls.reason) + "\n";
    }
    if (is_search) {
        const bool judges_histories =
            std::any_of(report.checked.begin(), report.checked.end(), [](const Property* property) {
                return property->is(PropertyNumber::kUnexplainedHistory);
            });
        out += summary_text(*answer.searched, judges_histories) + passed_over_text(report) +
               to_try_text(report, *answer.searched);
    }
    for (const std::string& remark : answer.remarks) {
        out += remark + "\n";
    }
    const bool has_failed =
        is_search ? answer.searched->finding && answer.searched->finding->misbehaviour.has_value()
                  : answer.misbehaves;
    out += has_failed ? last_words_text(answer.last_words) : "";
    return out + foot_text(report, scope_line(report, answer),
                           is_search && !report.findings.empty()
                               ? report.findings.front().replay_command
                               : "");
}

}  // namespace lockkeeper

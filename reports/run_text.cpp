// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string smaller_text(const SmallerFinding& smaller) {
    const std::string shows = fmt::format("smaller: {} shows it in {}", printable(smaller.scope),
                                          counted(smaller.steps, "step"));
    return smaller.trace_file.empty() ? shows + " (--out DIR writes it as a trace)\n"
                                      : shows + "\n         " + smaller.replay_command + "\n";
}

// Properties that may have causes which are not shown.
std::string causes_text(const RunReport& report) {
    std::string out;
    const Property* last = nullptr;
    for (const Finding& finding : report.findings) {
        if (finding.causes_cut && finding.property != last) {
            last = finding.property;
            out += fmt::format("{} may have more causes: not every place was asked for its own\n",
                               title_of(*last));
        }
    }
    return out;
}

// A list first: where there are several, the traces fill the screen.
std::string findings_text(const RunReport& report) {
    std::string out;
    const std::size_t count = report.findings.size();
    for (std::size_t i = 0; i < count && count > 1; ++i) {
        out += fmt::format("violation {}: {}\n", i + 1, finding_title(report.findings[i]));
    }
    out += causes_text(report);
    for (std::size_t i = 0; i < count; ++i) {
        const Finding& finding = report.findings[i];
        out += fmt::format("\nviolation {} of {}: {}\n", i + 1, count, finding_title(finding));
        if (!report.replayed) {
            out += trace_text(finding.trace, finding.property);
            out += finding.smaller ? smaller_text(*finding.smaller) : "";
            out += count > 1 ? "replay: " + finding.replay_command + "\n" : "";
        }
    }
    return out + (count == 0 ? "" : "\n");
}

std::string boundary_text(const RunReport& report) {
    if (!report.boundary) {
        return "";
    }
    const FoundBoundary& boundary = *report.boundary;
    std::string out;
    for (const auto& [value, verdict] : boundary.probes) {
        out += fmt::format("{} {:<6} {}\n", boundary.parameter, value, verdict_text(verdict));
    }
    for (const RefusedValues& values : boundary.refused) {
        out +=
            fmt::format("{} {} refused: {}\n", boundary.parameter,
                        values.from == values.to ? std::to_string(values.from)
                                                 : fmt::format("{} to {}", values.from, values.to),
                        values.why);
    }
    if (boundary.violated) {
        out += fmt::format("\nwith {} {}:\n", boundary.parameter, *boundary.violated);
    }
    return out;
}

std::string divergences_text(const Trace& trace) {
    std::string out;
    for (const Divergence& divergence : trace.divergences) {
        out += fmt::format("diverged at step {}: {}\n", divergence.step + 1, divergence.reason);
    }
    return out;
}

// A cycle need not lie within the states that runs have met.
std::string half_judged_text(const RunReport& report) {
    const auto is_livelock = [](const Property* property) {
        return property != nullptr && property->is(PropertyNumber::kLivelock);
    };
    const bool is_found =
        std::any_of(report.findings.begin(), report.findings.end(),
                    [&](const Finding& finding) { return is_livelock(finding.property); });
    if (is_found || std::none_of(report.checked.begin(), report.checked.end(), is_livelock)) {
        return "";
    }
    return "not seen in these runs  livelock (explore judges it)\n";
}

std::string scope_of_search(const ExploreResult& result, const RunReport& report) {
    const std::string what = report.short_scope + ", " + counted(result.states, "state");
    if (result.complete) {
        return "complete: " + what;
    }
    return result.stopped_at_violation ? "stopped at the first violation: " + what
                                       : "bounded (" + result.limit + "): " + what;
}

}  // namespace

std::string_view name_of(FileOutcome outcome) {
    switch (outcome) {
        case FileOutcome::kPassed: return "passed";
        case FileOutcome::kFailed: return "failed";
        case FileOutcome::kUndecided: return "undecided";
        case FileOutcome::kNotRun: return "not run";
    }
    return "not run";
}

std::string counts_text(const OutcomeCounts& counts) {
    std::string line = fmt::format("{} passed, {} failed", counts.passed, counts.failed);
    line += counts.undecided > 0 ? fmt::format(", {} undecided", counts.undecided) : "";
    return line + (counts.not_run > 0 ? fmt::format(", {} not run", counts.not_run) : "");
}

std::string outcome_message(const RunReport& report) {
    if (!has_answer(report.verdict)) {
        return detail_of(report.verdict);
    }
    const bool is_unmet = report.met && !is<Passed>(*report.met);
    std::string message = is_unmet ? detail_of(*report.met) : verdict_text(report);
    if (report.is_interrupted) {
        message = "interrupted; so far: " + message;
    }
    return message + (report.has_failed_output ? "; a file could not be written" : "");
}

std::string beyond_files(const Results& results) {
    const std::size_t left_out =
        std::max(results.cases_count, results.files.size()) - results.files.size();
    if (left_out > 0) {
        return fmt::format("interrupted: {} of {} not run", left_out,
                           counted(results.cases_count, "case"));
    }
    const bool is_told =
        results.exit_code == kExitPassed ||
        std::any_of(results.files.begin(), results.files.end(), [&](const RunReport& report) {
            return exit_code_of(report) == results.exit_code;
        });
    if (is_told) {
        return "";
    }
    const auto* meaning =
        std::find_if(kExitCodes.begin(), kExitCodes.end(),
                     [&](const ExitCodeMeaning& one) { return one.code == results.exit_code; });
    return fmt::format("exit code {}{}", results.exit_code,
                       meaning == kExitCodes.end() ? "" : fmt::format(": {}", meaning->meaning));
}

const std::string& path_of(const RunReport& report) {
    return report.place.path.empty() ? report.file : report.place.path;
}

std::string finding_title(const Finding& finding) {
    const std::string steps = counted(step_count(finding), "step");
    if (!finding.difference.empty()) {
        return finding.difference;
    }
    if (finding.property == nullptr) {
        return "stuck: nobody can take a step and somebody is unfinished, after " + steps;
    }
    std::string title = fmt::format("{} ({}) in {}", title_of(*finding.property),
                                    name_of(finding.property->severity), steps);
    if (finding.cycle_start != kNoStep) {
        title += fmt::format(", for ever from step {} on", finding.cycle_start + 1);
    }
    if (!finding.found_by.empty()) {
        title += ", found by " + finding.found_by;
    }
    title += finding.cause.empty() ? "" : ", cause: " + printable(finding.cause);
    title += finding.is_cut ? ", not shrunk to the end (a limit)" : "";
    return title;
}

std::string head_text(const RunReport& report) {
    return fmt::format("{}  seed {}  strategy {}  scope: {}\n{}  {}/{}  checks: {}\n", build_text(),
                       report.seed, report.strategy, report.scope, printable(report.file),
                       report.system, report.variant, names_text(report.checked)) +
           (report.reductions.empty() ? "" : "reductions: " + report.reductions + "\n");
}

std::string body_text(const RunReport& report) {
    std::string out = boundary_text(report) + findings_text(report);
    if (report.replayed) {
        out += trace_text(*report.replayed) + divergences_text(*report.replayed);
    }
    if (report.explored) {
        out += facts_text(facts_of(*report.explored));
        const std::string flag = flag_beyond(report.explored->limit);
        const bool is_open = !report.explored->complete && !report.explored->stopped_at_violation;
        out += is_open && !flag.empty() && !report.boundary
                   ? next_text({flag, "fewer callers or calls", "fuzz, which looks at random runs"})
                   : "";
    }
    // For programs the details say more.
    if (report.fuzzed && std::holds_alternative<std::monostate>(report.details)) {
        out += facts_text(facts_of(*report.fuzzed)) + half_judged_text(report);
    }
    return out + goals_text(report);
}

std::string goals_text(const RunReport& report) {
    std::string out;
    if (!report.goals_reached.empty() || !report.goals_missed.empty()) {
        out += "goals reached           " + names_text(report.goals_reached) + "\n";
    }
    if (!report.goals_missed.empty()) {
        // A goal missed before a limit or a violation ended the search says little.
        const bool ended_early = (report.explored && !report.complete) || !report.findings.empty();
        out += ended_early ? "goals not reached yet   " : "goals NOT reached       ";
        out += names_text(report.goals_missed) + "\n";
    }
    return out;
}

std::string scope_line(const RunReport& report) {
    if (report.explored) {
        return scope_of_search(*report.explored, report);
    }
    if (report.fuzzed) {
        return fmt::format("bounded: {}, {}", counted(report.fuzzed->schedules, "schedule"),
                           report.short_scope);
    }
    if (report.replayed) {
        const bool is_whole = report.replayed->all_finished || report.replayed->deadlocked;
        return fmt::format("one run{}: {}, {}",
                           is_whole ? "" : ", not to its end (somebody is unfinished)",
                           counted(report.replayed->steps.size(), "step"), report.short_scope);
    }
    return "nothing was run";
}

std::string foot_text(const RunReport& report) {
    return foot_text(report, scope_line(report),
                     report.findings.empty() ? "" : report.findings.front().replay_command);
}

std::string foot_text(const RunReport& report, const std::string& scope,
                      const std::string& replay) {
    std::string out = "verdict: " + verdict_text(report) + "\n";
    out += "scope: " + scope + "\n";
    out += "seed: " + std::to_string(report.seed) + "\n";
    for (const std::string& file : report.files_written) {
        out += "written: " + printable(file) + "\n";
    }
    return out + (replay.empty() ? "" : "replay: " + replay + "\n");
}

namespace {

struct LimitFlag {
    std::string_view limit;
    const char* flag;
};
constexpr LimitFlag kLimitFlags[] = {
    {"states", "a larger --max-states"}, {"memory", "more --memory"},
    {"time", "a longer --time-limit"},   {"depth", "a larger --max-steps"},
    {"steps", "a larger --max-steps"},   {"schedules", "more --schedules"},
};

// Exact, and beside it the power of ten where nobody would count the digits.
std::string interleavings_text(const ExploreResult& result) {
    if (!result.interleavings) {
        const bool cyclic = result.acyclic.has_value() && !*result.acyclic;
        return cyclic ? "endlessly many (the graph has cycles)" : "not counted";
    }
    const std::string& digits = *result.interleavings;
    std::string text = with_commas(digits);
    if (digits.size() > 9) {
        text += fmt::format(" (about {}.{}e{})", digits[0], digits[1], digits.size() - 1);
    }
    return text;
}

std::string reductions_text(const ExploreResult& result) {
    std::string text = result.used_symmetry ? "up to symmetry" : "";
    const auto add = [&](bool is_used, const char* words) {
        text += !is_used ? "" : text.empty() ? words : std::string(", ") + words;
    };
    const Reduction other = without_relative_time(result.reduction);
    add(other == Reduction::kPrivateSteps, "private steps taken at once");
    add(other == Reduction::kFaultsLeft, "of states alike those with most faults left");
    add(is_in_relative_time(result.reduction), "in relative time");
    return text.empty() ? text : "  (" + text + ")";
}

std::string before_text(const ExploreResult& result) {
    return fmt::format("{} states in {}, without further reductions",
                       with_commas(result.states_before), seconds_text(result.seconds_before));
}

std::string time_text(const ExploreResult& result) {
    const std::string search =
        seconds_text(result.seconds) + ", " + rate_text(result.states, result.seconds) + " states";
    return result.graph_seconds > 0
               ? search + "; then " + seconds_text(result.graph_seconds) + " for the graph"
               : search;
}

}  // namespace

std::string flag_beyond(std::string_view limit) {
    for (const LimitFlag& known : kLimitFlags) {
        if (known.limit == limit) {
            return known.flag;
        }
    }
    return "";
}

std::string next_text(const std::vector<std::string>& to_try) {
    return to_try.empty() ? "" : fmt::format("{:<24}{}\n", "try next", fmt::join(to_try, "; "));
}

std::vector<Fact> facts_of(const ExploreResult& result) {
    const std::uint64_t per_state = result.states == 0 ? 0 : result.bytes_stored / result.states;
    std::vector<Fact> facts{
        {"distinct states", with_commas(result.states) + reductions_text(result)},
        {"transitions", with_commas(result.transitions)},
        {"depth", counted(result.depth, "step")},
        {"terminal states", with_commas(result.terminal_states)},
        {"complete", result.complete ? "yes" : "no: " + result.limit},
        {"maximal interleavings", interleavings_text(result)},
        {"time", time_text(result)},
        {"memory", fmt::format("{}, {} per state", bytes_text(result.bytes_stored),
                               counted(per_state, "byte"))}};
    if (result.states_before > 0) {
        facts.emplace(facts.begin(), "before", before_text(result));
    }
    if (!keeps_lengths(result.reduction) && !result.violations.empty()) {
        facts.emplace(facts.begin(), "lengths", "not promised to be shortest (private steps)");
    }
    if (result.bytes_of_state > 0) {  // not of a document that was read back
        facts.back().second += fmt::format(" ({} of them its own)", result.bytes_of_state);
    }
    if (result.omission_probability > 0) {
        facts.emplace_back("omission",
                           fmt::format("with probability {:.2g} some state was taken for "
                                       "another and left out",
                                       result.omission_probability));
    }
    return facts;
}

std::vector<Fact> facts_of(const FuzzResult& result) {
    return {{"schedules", with_commas(result.schedules)},
            {"steps", with_commas(result.steps)},
            {"cut at --max-steps", with_commas(result.cut_schedules)},
            {"ended by", result.limit},
            {"time", seconds_text(result.seconds) + ", " + rate_text(result.steps, result.seconds) +
                         " steps"}};
}

std::string facts_text(const std::vector<Fact>& facts) {
    std::string out;
    for (const auto& [name, value] : facts) {
        out += fmt::format("{:<24}{}\n", name, value);
    }
    return out;
}

}  // namespace lockkeeper

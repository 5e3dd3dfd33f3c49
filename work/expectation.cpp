// SPDX-License-Identifier: Apache-2.0
#include "work/expectation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/check.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string difference(const std::string& pointer, const std::string& expected,
                       const std::string& actual) {
    return fmt::format("{}: expected {}, actual {}", pointer, expected, actual);
}

std::string verdict_difference(const Expectation& expect, const RunReport& report) {
    return expect.verdict.index() == report.verdict.index()
               ? ""
               : difference("/expect/verdict", std::string(name_of(expect.verdict)),
                            verdict_text(report));
}

std::string properties_difference(const Expectation& expect, const RunReport& report) {
    if (expect.properties.empty()) {
        return "";
    }
    const std::set<std::string> expected(expect.properties.begin(), expect.properties.end());
    std::set<std::string> actual;
    for (const Finding& finding : report.findings) {
        if (finding.property != nullptr) {
            actual.emplace(finding.property->name);
        }
    }
    return expected == actual
               ? ""
               : difference("/expect/properties", fmt::format("{}", fmt::join(expected, ", ")),
                            actual.empty() ? "none" : fmt::format("{}", fmt::join(actual, ", ")));
}

std::string number_difference(const char* name, const std::optional<std::uint64_t>& expected,
                              std::optional<std::uint64_t> actual) {
    if (!expected || expected == actual) {
        return "";
    }
    return difference(std::string("/expect/") + name, with_commas(*expected),
                      actual ? with_commas(*actual) : "none");
}

std::optional<std::uint64_t> first_steps(const RunReport& report) {
    std::optional<std::uint64_t> least;
    for (const Finding& finding : report.findings) {
        const std::uint64_t steps = finding.schedule.actions.size();
        least = least ? std::min(*least, steps) : steps;
    }
    return least;
}

std::string search_difference(const Expectation& expect, const RunReport& report) {
    if (!report.explored) {
        return "";
    }
    const ExploreResult& result = *report.explored;
    std::string found = number_difference("states", expect.states, result.states);
    if (found.empty()) {
        found = number_difference("transitions", expect.transitions, result.transitions);
    }
    if (found.empty()) {
        found =
            number_difference("terminal_states", expect.terminal_states, result.terminal_states);
    }
    if (found.empty() && expect.interleavings && expect.interleavings != result.interleavings) {
        found = difference("/expect/interleavings", *expect.interleavings,
                           result.interleavings.value_or("not counted"));
    }
    return found;
}

std::string counters_text(const std::vector<std::int32_t>& counters) {
    std::string text;
    for (const std::int32_t counter : counters) {
        text += (text.empty() ? "" : ",") +
                (counter == kAbsentCounter ? "absent" : std::to_string(counter));
    }
    return "[" + text + "]";
}

std::string counters_difference(const Scenario& scenario, const WorldConfig& world,
                                const RunReport& report) {
    const auto& keys = world.keys;
    for (const auto& [key, expected] : scenario.expect.counters) {
        const auto index =
            static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
        std::vector<std::int32_t> actual;
        if (report.replayed && index < report.replayed->counters.size()) {
            actual = report.replayed->counters[index];
        }
        while (!actual.empty() && actual.back() == kAbsentCounter) {
            actual.pop_back();
        }
        if (actual != expected) {
            return difference("/expect/counters/" + key, counters_text(expected),
                              counters_text(actual));
        }
    }
    return "";
}

std::string text_of(const ExpectedResult& result) {
    switch (result.kind) {
        case ExpectedResult::Kind::kAcquired: return "acquired";
        case ExpectedResult::Kind::kCount: return std::to_string(result.count);
        case ExpectedResult::Kind::kFull: return "full";
        case ExpectedResult::Kind::kReleased: return "ok";
        case ExpectedResult::Kind::kDied: return "died";
        case ExpectedResult::Kind::kError: return result.error;
    }
    return "?";
}

// "acquired" is met by any count: the author does not care which.
bool meets(const ExpectedResult& expected, const std::string& actual) {
    const bool is_count =
        !actual.empty() && actual.find_first_not_of("-0123456789") == std::string::npos;
    return text_of(expected) == actual ||
           (expected.kind == ExpectedResult::Kind::kAcquired && is_count);
}

std::string results_difference(const Scenario& scenario, const WorldConfig& world,
                               const RunReport& report) {
    const auto& callers = world.callers;
    for (const auto& entry : scenario.expect.results) {
        const std::string& name = entry.first;
        const std::vector<ExpectedResult>& expected = entry.second;
        const auto caller =
            std::find_if(callers.begin(), callers.end(),
                         [&](const CallerConfig& candidate) { return candidate.name == name; });
        if (caller == callers.end() || !report.replayed) {
            continue;
        }
        const auto actual =
            results_of(*report.replayed, static_cast<std::size_t>(caller - callers.begin()),
                       scenario.parameters.returns_count);
        for (std::size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
            if (i < expected.size() && i < actual.size() && meets(expected[i], actual[i])) {
                continue;
            }
            return difference(fmt::format("/expect/results/{}/{}", name, i),
                              i < expected.size() ? text_of(expected[i]) : "no further call",
                              i < actual.size() ? actual[i] : "no further call");
        }
    }
    return "";
}

std::string result_text(const HistoryEntry& entry, bool returns_count) {
    switch (entry.type) {
        case HistoryType::kInvoke: break;
        case HistoryType::kOk:
            if (entry.verb != Verb::kAcquire) {
                return "ok";
            }
            return returns_count && entry.value ? std::to_string(*entry.value) : "acquired";
        case HistoryType::kFail: return entry.error.empty() ? "full" : entry.error;
        case HistoryType::kInfo: return "died";
    }
    unreachable("an invocation has no result");
}

bool stays_below(const std::optional<std::uint64_t>& expected, std::uint64_t actual) {
    return !expected || actual <= *expected;
}

bool are_expected(const Expectation& expect, const std::vector<Finding>& findings) {
    return expect.properties.empty() ||
           std::all_of(findings.begin(), findings.end(), [&](const Finding& finding) {
               const auto& names = expect.properties;
               return finding.property == nullptr ||
                      std::find(names.begin(), names.end(), finding.property->name) != names.end();
           });
}

// Whether more of a search that a limit ended could still meet the expectation: its verdict is
// there already, and nothing that was found contradicts the rest.
bool may_still_be_met(const Expectation& expect, const RunReport& report) {
    if (!report.explored || report.explored->complete || report.explored->stopped_at_violation ||
        !verdict_difference(expect, report).empty() || !are_expected(expect, report.findings)) {
        return false;
    }
    const ExploreResult& result = *report.explored;
    return number_difference("steps", expect.steps, first_steps(report)).empty() &&
           stays_below(expect.states, result.states) &&
           stays_below(expect.transitions, result.transitions) &&
           stays_below(expect.terminal_states, result.terminal_states);
}

// No rate is known to be above its bound, but some rates are undecided.
bool leave_open(const std::vector<RateCheck>& rates) {
    const auto any = [&](std::optional<bool> met) {
        return std::any_of(rates.begin(), rates.end(),
                           [&](const RateCheck& check) { return check.met == met; });
    };
    return any(std::nullopt) && !any(false);
}

}  // namespace

std::vector<std::string> results_of(const Trace& trace, std::size_t caller, bool returns_count) {
    std::vector<std::string> results;
    for (const HistoryEntry& entry : trace.history) {
        if (entry.caller == caller && entry.type != HistoryType::kInvoke) {
            results.push_back(result_text(entry, returns_count));
        }
    }
    return results;
}

std::string first_difference(const Scenario& scenario, const WorldConfig& world,
                             const RunReport& report) {
    const Expectation& expect = scenario.expect;
    // An unreached goal is told as such, unless the verdict is wrong in itself.
    const bool only_unreached = is<Unreached>(report.verdict) && is<Passed>(expect.verdict);
    std::string found = only_unreached ? "" : verdict_difference(expect, report);
    if (found.empty()) {
        found = properties_difference(expect, report);
    }
    if (found.empty()) {
        found = number_difference("steps", expect.steps, first_steps(report));
    }
    if (found.empty() && expect.value && report.boundary &&
        *expect.value != report.boundary->value) {
        found = difference("/expect/value", std::to_string(*expect.value),
                           std::to_string(report.boundary->value));
    }
    if (found.empty() && expect.complete && *expect.complete != report.complete) {
        found = difference("/expect/complete", *expect.complete ? "true" : "false",
                           report.complete ? "true" : "false");
    }
    if (found.empty()) {
        found = search_difference(expect, report);
    }
    if (found.empty()) {
        found = counters_difference(scenario, world, report);
    }
    if (found.empty()) {
        found = results_difference(scenario, world, report);
    }
    if (found.empty() && !report.goals_missed.empty()) {
        found = "/reach: not reached: " + names_text(report.goals_missed);
    }
    return found;
}

void judge_expectation(const Scenario& scenario, const WorldConfig& world,
                       const std::function<std::vector<RateCheck>()>& check_rates,
                       RunReport& report) {
    std::string found = first_difference(scenario, world, report);
    bool is_open = is<Inconclusive>(report.verdict) || may_still_be_met(scenario.expect, report);
    if (found.empty() && !interrupt_requested()) {
        report.rates = check_rates();
        found = first_rate_difference(report.rates);
        is_open = leave_open(report.rates);
    }
    report.met = found.empty() ? Verdict(Passed{})
                 : is_open     ? Verdict(Inconclusive{"", found})
                               : Violated{found};
    report.is_interrupted = interrupt_requested();
}

}  // namespace lockkeeper

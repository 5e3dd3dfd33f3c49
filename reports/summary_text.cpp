// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
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

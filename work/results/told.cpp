// SPDX-License-Identifier: Apache-2.0
#include "work/results/told.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/search/explore.hpp"
#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

// "the smallest grace is 4"
std::string boundary_words(const FoundBoundary& boundary) {
    return fmt::format("the {} {} is {}", boundary.smallest ? "smallest" : "largest",
                       boundary.parameter, boundary.value);
}

// "private steps", "faults left"
std::string spoken(std::string word) {
    for (char& letter : word) {
        letter = letter == '-' ? ' ' : letter;
    }
    return word;
}

std::vector<std::string> words_of(const Reductions& used) {
    std::vector<std::string> words;
    const auto add = [&](bool is_used, std::string_view word) {
        if (is_used) {
            words.emplace_back(word);
        }
    };
    add(used.symmetry, "symmetry");
    add(used.sleep_sets, "sleep-sets");
    const Reduction other = without_relative_time(used.further);
    add(other != Reduction::kNone, word_of(other));
    add(is_in_relative_time(used.further), word_of(Reduction::kRelativeTime));
    return words;
}

}  // namespace

std::string build_text() { return fmt::format("lockkeeper {} ({})", version(), commit()); }

Verdict told_verdict(const RunReport& report) {
    if (report.boundary && is<Passed>(report.verdict)) {
        return Passed{boundary_words(*report.boundary)};
    }
    if (report.findings.empty() || !is<Violated>(report.verdict)) {
        return report.verdict;
    }
    const Finding& first = report.findings.front();
    if (first.property == nullptr) {
        return report.verdict;
    }
    return Violated{fmt::format(
        "{} in {}{}", title_of(*first.property), counted(step_count(first), "step"),
        report.findings.size() > 1 ? fmt::format(", and {} more", report.findings.size() - 1)
                                   : "")};
}

std::string verdict_text(const RunReport& report) {
    return verdict_text(told_verdict(report), report.words);
}

std::string every_number_scope(const EveryNumber& numbers) {
    std::string text = "any number of ";
    for (std::size_t kind = 0; kind < numbers.kinds.size(); ++kind) {
        text += (kind == 0 ? "" : " and of ") + printable(numbers.kinds[kind]);
    }
    text += numbers.kinds.size() > 1 ? " (at least one of each)" : "";
    return text + ", scripts repeat for ever, " +
           (numbers.any_crashes ? "any number of crashes" : "no crashes") + numbers.as_in_file;
}

std::string name_of(const SweptViolation& violation) {
    return violation.property != nullptr ? std::string(violation.property->name)
                                         : "nobody can go on";
}

std::string reductions_text(const Reductions& used) {
    const std::string text = spoken(fmt::format("{}", fmt::join(words_of(used), ", ")));
    const bool keeps = keeps_lengths(used.further);
    return text.empty() ? "none" : keeps ? text : text + " (lengths not promised shortest)";
}

std::vector<std::string> reductions_used(const ExploreResult& result) {
    return words_of({result.used_symmetry, result.used_sleep_sets, result.reduction});
}

namespace {

struct TimeUnit {
    const char* name;
    double seconds;
};
constexpr std::array kTimeUnits{TimeUnit{"s", 1}, TimeUnit{"min", 60}, TimeUnit{"h", 3600},
                                TimeUnit{"days", 86'400}, TimeUnit{"years", 31'557'600}};

}  // namespace

std::string law_text(const Law& law) {
    if (law.kind == LawKind::kUniform) {
        return "uniform";
    }
    std::string text = fmt::format("{}:step={}", law.kind == LawKind::kRates ? "rates" : "weights",
                                   law.weight(ActionClass::kStep));
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        const auto which = static_cast<ActionClass>(i);
        const double otherwise = default_weight(law.kind, which, law.weight(ActionClass::kStep));
        if (which != ActionClass::kStep && law.weights[i] != otherwise) {
            text += fmt::format(",{}={}", name_of(which), law.weights[i]);
        }
    }
    return text;
}

std::string number_text(double number) {
    return std::isinf(number) ? "infinite" : fmt::format("{:.6g}", number);
}

std::string interval_text(const Figure& figure) {
    const auto end = [](double number) {
        return std::isinf(number) ? std::string("infinite") : fmt::format("{:.4g}", number);
    };
    return "[" + end(figure.low) + ", " + end(figure.high) + "]";
}

std::string with_interval(const Figure& figure, bool sampled) {
    return number_text(figure.value) + (sampled ? " " + interval_text(figure) : "");
}

std::string time_text(double seconds) {
    if (std::isinf(seconds)) {
        return "never";
    }
    std::size_t unit = 0;
    while (unit + 1 < kTimeUnits.size() && seconds >= 2 * kTimeUnits[unit + 1].seconds) {
        ++unit;
    }
    return fmt::format("{:.3g} {}", seconds / kTimeUnits[unit].seconds, kTimeUnits[unit].name);
}

std::string time_with_interval(const Figure& figure, bool sampled) {
    std::string text = time_text(figure.value);
    if (sampled) {
        text += " [" + time_text(figure.low) + ", " + time_text(figure.high) + "]";
    }
    return text;
}

std::string name_text(const MeasuredPoint& point) {
    std::string text = point.system + "/" + point.variant;
    for (const auto& [name, value] : point.at) {
        text += fmt::format(", {} {}", name, value);
    }
    return text;
}

const char* name_of(LawOrigin origin) {
    constexpr const char* kNames[] = {"default", "--law", "the scenario", "its traffic"};
    return kNames[static_cast<std::size_t>(origin)];
}

std::string warning_text(const LawWarning& warning) {
    switch (warning.concern) {
        case LawConcern::kNeverHappens:
            return fmt::format(
                "the scenario has \"{}\", but the law gives it weight 0: it never happens",
                name_of(warning.which));
        case LawConcern::kTooFewCallers:
            return fmt::format(
                "the traffic keeps {:g} locks held at a time (acquires_per_second times "
                "hold_seconds), but there are {} callers: they cannot make so many acquires",
                warning.busy, warning.callers);
        case LawConcern::kKnowsNoTime: break;
    }
    return "the law knows no time: the forecast takes each acquire of the traffic for one of its "
           "runs, which is an upper limit at best";
}

std::string difference_text(const Agreement& agreement) {
    if (agreement.agrees()) {
        return "";
    }
    constexpr const char* kOfProperty[] = {
        "",
        ", count in a run",
        ", per acquire",
        ", seconds to the first",
        ", violating seconds",
        ", how long in a run",
        ", how long where there is one",
        "capacity lost in a run",
        "acquires granted in a run",
        "seconds of a run",
    };
    const FigureDifference& found = *agreement.difference;
    return fmt::format("{}{}: exact {:.9g}, sampled {:.9g} in [{:.9g}, {:.9g}] at confidence {}",
                       found.property != nullptr ? title_of(*found.property) : "",
                       kOfProperty[static_cast<std::size_t>(found.which)], found.exact.value,
                       found.sampled.value, found.sampled.low, found.sampled.high,
                       agreement.sampled.confidence);
}

std::string not_compared_text(const MeasuredPoint& point) {
    if (std::holds_alternative<RunsNeverEnd>(point.not_compared)) {
        return "some runs never end";
    }
    if (const auto* runs = std::get_if<RunsWereCut>(&point.not_compared)) {
        return fmt::format("{} of {} have no end after {} steps", with_commas(runs->cut),
                           counted(runs->runs, "run"), with_commas(kCheckSteps));
    }
    const auto* ended = std::get_if<SamplingEnded>(&point.not_compared);
    return ended != nullptr ? "sampling was ended by limit: " + ended->limit : "";
}

std::string first_rate_difference(const std::vector<RateCheck>& checks) {
    std::string undecided;
    for (const RateCheck& check : checks) {
        const std::string how =
            check.method == MeasureMethod::kExact
                ? "exact"
                : fmt::format("{} in {} at confidence {}", name_of(check.method),
                              interval_text(check.rate), kGateConfidence);
        std::string text =
            fmt::format("/expect/max_rate/{}: expected at most {:g} per run, actual {:.6g} ({})",
                        check.property->name, check.bound, check.rate.value, how);
        if (check.met && !*check.met) {
            return text;
        }
        if (!check.met && undecided.empty()) {
            undecided = text + ": not decided within the limits";
        }
    }
    return undecided;
}

}  // namespace lockkeeper

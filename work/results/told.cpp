// SPDX-License-Identifier: Apache-2.0
#include "work/results/told.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

// "the smallest grace is 4"
std::string boundary_words(const FoundBoundary& boundary) {
    return fmt::format("the {} {} is {}", boundary.smallest ? "smallest" : "largest",
                       boundary.parameter, boundary.value);
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

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "validate/programs/built_in_scenarios.hpp"
#include "work/program_job.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

// A lock with a time limit can break only when the limit is over.
std::string time_not_judged(const RunReport& report, const OutsideWorld& world,
                            const BlackBoxResult& result) {
    const std::string of_time = properties_of_time(world);
    if (!result.has_until || result.tally.sees_lease_end || of_time.empty()) {
        return "";
    }
    std::string out = "no grant came to its end while another caller asked for the lock";
    if (result.tally.lease_time > 0) {
        out += fmt::format(" (the longest takes {} ms",
                           with_commas(static_cast<std::uint64_t>(result.tally.lease_time)));
        out +=
            result.tally.lease_time > kBlackBoxLeaseMost && built_in_named(report.file) != nullptr
                ? fmt::format("; the built-in scenarios wait for leases of up to {} ms)",
                              with_commas(static_cast<std::uint64_t>(kBlackBoxLeaseMost)))
                : ")";
    }
    return out + "; not judged: " + of_time;
}

// Why these runs do not justify "passed"; empty: they do.
std::string what_was_not_judged(const RunReport& report, const OutsideWorld& world,
                                const BlackBoxResult& result) {
    if (!result.limit.empty()) {
        return "ended by limit: " + result.limit;
    }
    if (std::string missing = result.tally.answers.what_is_missing(); !missing.empty()) {
        return missing;
    }
    if (is<Inconclusive>(result.verdict)) {
        return "a history could not be judged: " + result.check->limit;
    }
    if (std::string missing = result.tally.never_decided(world); !missing.empty()) {
        return missing;
    }
    if (!result.judged_by_model && !result.has_until) {
        return "no history could be judged: " + result.check->limit;
    }
    if (std::string contention = result.tally.contention_not_judged(); !contention.empty()) {
        return contention;
    }
    return time_not_judged(report, world, result);
}

}  // namespace

Verdict black_box_verdict(const RunReport& report, const OutsideWorld& world,
                          const BlackBoxResult& result, const std::string& model) {
    if (result.misbehaviour) {
        return Violated{"misbehaved: " + std::string(name_of(*result.misbehaviour)) + ": " +
                        result.detail};
    }
    if (result.finding) {
        return Violated{result.finding->name + ": " + printable(result.finding->reason)};
    }
    if (is<Violated>(result.verdict)) {
        std::string detail = "the history is none of " + model;
        if (!result.check->explanations.empty()) {
            const Explanation& explanation = result.check->explanations.front();
            detail += ": key " + printable(explanation.key) + ": " + printable(explanation.reason);
        }
        return Violated{detail};
    }
    const std::string doubt = what_was_not_judged(report, world, result);
    return doubt.empty() ? Verdict(Passed{}) : Inconclusive{"", doubt};
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// From a violation that a search found to one that can be shown: shrunk, explained, and re-verified
// by replaying it.
#pragma once

#include <functional>
#include <string>

#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// Shrunk where `shrinks`, and replayed; what else of `watch` breaks on the way is noted beside it.
// `violation.property` null: a run after which nobody can go on. Throws InternalError when the
// violation does not replay: then the harness is wrong.
[[nodiscard]] Finding explain_violation(const Runner& runner, const FoundViolation& violation,
                                        bool shrinks, const ShrinkLimits& limits,
                                        std::uint64_t seed,
                                        const std::vector<const Property*>& watch = {});

struct Explaining {
    bool shrinks = true;  // else findings are shown as they were found, without causes
    // Writes the trace and names it in the finding; null: none is written.
    std::function<void(const Scenario&, Finding&)> write = {};
    ShrinkLimits limits = {};
    // For reports that show runs: which decisions a run needs, also of those that are not shrunk;
    // what becomes of the other properties; and the nearest run that passes.
    bool shows_runs = false;
};
// The same, written, and with the command that replays it. `found_by` not empty: by fuzzing, then
// also in a smaller scenario, where there is one.
[[nodiscard]] Finding explained(const Registry& registry, const Job& job,
                                const Explaining& explaining, const FoundViolation& violation,
                                const std::string& found_by, std::uint64_t seed);

// The nearest run that keeps the property, where there is one.
void add_nearest(const Job& job, const ShrinkLimits& limits, Finding& finding);

// The part of a replayed run that ends with the first step that breaks the property.
[[nodiscard]] Finding finding_in(const Job& job, const Trace& trace, const Property* property,
                                 std::uint64_t seed);

// The command that shows it again, of the trace file where there is one.
[[nodiscard]] std::string replay_command(const Job& job, const Finding& finding, bool says_check);

}  // namespace lockkeeper

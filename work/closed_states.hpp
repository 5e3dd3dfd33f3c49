// SPDX-License-Identifier: Apache-2.0

// A certificate of a pass in one scope: what `explore --certificate` writes
// (scheduler/proofs/closed_states.hpp). `check-certificate` is in check_job.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "scheduler/base/output_file.hpp"
#include "work/searches.hpp"

namespace lockkeeper {

inline constexpr std::string_view kClosedStatesMark =
    "{\n  \"$schema\": \"closed_states.schema.json\"";

// The properties that the job checks and such a certificate proves, or (not `is_seen`) leaves open.
[[nodiscard]] std::vector<const Property*> seen_in_states(const Job& job, bool is_seen);

// After a pass: explores once more, with neither symmetry nor reductions, has the states it reached
// checked, and writes them or says why it cannot. A pass that is not confirmed is none.
void certify_pass(const Job& job, const ExploreOptions& explored, OutputClaim& claim,
                  const Following& following, RunReport& report);

}  // namespace lockkeeper

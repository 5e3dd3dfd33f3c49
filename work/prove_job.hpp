// SPDX-License-Identifier: Apache-2.0

// `lockkeeper prove`: a verdict for every number of callers and what it came to as a report.
// Explorations of small numbers and the search for a proof are brought together here
// (scheduler/proofs/decide.hpp). Errors: BadInput; OutputError of files that are claimed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/registry/job.hpp"
#include "scheduler/base/output_file.hpp"
#include "work/results/run_report.hpp"
#include "work/searches.hpp"

namespace lockkeeper {

inline constexpr double kProveSeconds = 60;
inline constexpr std::size_t kProveCallers = 8;
inline constexpr std::uint64_t kProveStates = 2'000'000;
inline constexpr std::uint64_t kProveStatesFirst = 100'000;
inline constexpr std::string_view kCertificateMark =
    "{\n  \"$schema\": \"certificate.schema.json\"";

struct ProofFiles {
    std::optional<std::string> certificate;  // where to write it
    std::optional<std::string> scenario;  // for the least number of callers that violates something
    OutputRule rule;
};

struct Proving {
    ExploreOptions explore;  // small numbers of callers, and the runs that show findings
    std::size_t callers_max = kProveCallers;
    double seconds_max = kProveSeconds;
    // For a number of callers whose states do not end, before a proof is sought.
    std::uint64_t states_first = kProveStatesFirst;
    ProofFiles files = {};
};

[[nodiscard]] RunReport begin_proof(const Job& job, const std::string& command);
void prove_job(const Job& job, const Proving& how, const Following& following, RunReport& report);

// The subject that a certificate proves: the system with its callers, whatever their number.
[[nodiscard]] std::string subject_of_proof(const Job& job);

// A pass in which nothing is ever at rest says nothing of what has to hold there.
void doubt_without_rest(bool has_rest, const std::string& proved, RunReport& report);

// A certificate of a pass in one scope: what `explore --certificate` writes
// (scheduler/proofs/closed_states.hpp).

inline constexpr std::string_view kClosedStatesMark =
    "{\n  \"$schema\": \"closed_states.schema.json\"";

// The properties that the job checks and such a certificate proves, or (not `is_seen`) leaves open.
[[nodiscard]] std::vector<const Property*> seen_in_states(const Job& job, bool is_seen);

// After a pass: explores once more, with neither symmetry nor reductions, has the states it reached
// checked, and writes them or says why it cannot. A pass that is not confirmed is none.
void certify_pass(const Job& job, const ExploreOptions& explored, OutputClaim& claim,
                  const Following& following, RunReport& report);

}  // namespace lockkeeper

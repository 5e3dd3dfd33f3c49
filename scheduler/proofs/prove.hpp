// SPDX-License-Identifier: Apache-2.0

// Looks for a proof that no number of callers breaks a property: weights alone, then exact counts,
// the coarse way first. Only "proved" is an answer; that nothing was found says nothing.
// docs/understanding/every_number.md explains it, decision 30 says why it is so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/proofs/certificate.hpp"
#include "scheduler/proofs/marking_search.hpp"
#include "scheduler/proofs/proof_picture.hpp"
#include "scheduler/proofs/proof_progress.hpp"

namespace lockkeeper::proofs {

enum class Way : std::uint8_t {
    kWeights,
    kCountsAtOnceHeard,
    kCountsAtOnce,
    kCountsLater,
    kCountsUnmoved
};

struct ProveOptions {
    std::vector<const Property*> check = {};  // all decidable
    std::size_t markings_max = 200'000;
    double seconds_max = 60;
    std::uint64_t process_bytes_max = UINT64_MAX;
    ShowProgress progress = {};
    std::vector<Way> ways{Way::kWeights, Way::kCountsAtOnceHeard, Way::kCountsAtOnce,
                          Way::kCountsLater, Way::kCountsUnmoved};
    SearchBug bug = SearchBug::kNone;
};

struct ProofAttempt {
    std::optional<Certificate> certificate;  // nothing: not proved
    std::string method;                      // "weights", "counts"
    std::string why_not;
    ProofSizes sizes;
    ProofPicture picture = {};  // proved: for people
};

[[nodiscard]] ProofAttempt prove(const ReplicatedWorld& world, const ProveOptions& options);

}  // namespace lockkeeper::proofs

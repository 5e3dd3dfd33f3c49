// SPDX-License-Identifier: Apache-2.0

// Checks a certificate by taking the steps of the implementation itself, one after the other. It
// shares nothing with who looks for proofs but the World taken apart (replicated_world.hpp) and the
// rules of the properties, and believes nothing that the certificate says:
//
//   1. nothing is said twice, and every part has a place in the World;
//   2. the start is covered: any number of callers of each kind who have not begun;
//   3. from every combination, every step of everybody who can be there leads into a combination,
//      and keeps the weights; nothing is listed that no step leads to;
//   4. no step breaks a property, whoever else is there;
//   5. at rest, no property is broken;
//   6. whoever is absent makes no difference.
//
// The types say that a step depends only on its caller and on what is shared (Traits::by_record); a
// World without that is refused.
#pragma once

#include <string>

#include "scheduler/proofs/certificate.hpp"
#include "scheduler/proofs/proof_watch.hpp"

namespace lockkeeper::proofs {

struct CertificateCheck {
    std::string refused;   // why it is no proof
    std::string limit;     // that ended the check before its end; both empty: it is a proof
    bool has_rest = true;  // false: nothing is ever at rest, and what has to hold there is vacuous
};
[[nodiscard]] CertificateCheck check_certificate(const Certificate& certificate,
                                                 const ReplicatedWorld& world, ProofWatch& watch);
// Without limits, but an interrupt. Empty: it is a proof.
[[nodiscard]] inline std::string why_refused(const Certificate& certificate,
                                             const ReplicatedWorld& world) {
    ProofWatch watch;
    const CertificateCheck found = check_certificate(certificate, world, watch);
    return found.refused + found.limit;
}

}  // namespace lockkeeper::proofs

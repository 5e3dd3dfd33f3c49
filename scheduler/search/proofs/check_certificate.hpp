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
//   6. what the servers do about one caller is the same with any other caller beside it.
#pragma once

#include <string>

#include "scheduler/search/proofs/certificate.hpp"

namespace lockkeeper::proofs {

// Empty: it is a proof. Else why it is none.
[[nodiscard]] std::string why_refused(const Certificate& certificate, const ReplicatedWorld& world);

}  // namespace lockkeeper::proofs

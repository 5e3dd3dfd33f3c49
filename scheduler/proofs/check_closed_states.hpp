// SPDX-License-Identifier: Apache-2.0

// Checks a set of states by taking the steps of the implementation itself. It shares nothing with
// the explorer but the System and the rules of the properties: no symmetry, no parts, no learned
// steps. It believes nothing that the certificate says:
//
//   1. the initial state is listed, no state is listed twice;
//   2. from every listed state, every step leads to a listed state, and breaks no property;
//   3. at rest, no property is broken;
//   4. in no state is everybody stuck, and none is at the end of virtual time with work left;
//   5. nothing is listed that no step leads to. Bytes that no step has made are never run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/proofs/closed_states.hpp"
#include "scheduler/proofs/proof_watch.hpp"

namespace lockkeeper::proofs {

struct ClosedStatesCheck {
    std::string refused;  // why it is no proof
    std::string limit;    // that ended the check before its end; both empty: it is a proof
    std::uint64_t steps = 0;
};

// `system`: whose states they are. `properties`: those that the certificate has to prove.
[[nodiscard]] ClosedStatesCheck check_closed_states(const ClosedStates& closed,
                                                    const ErasedSystem& system,
                                                    const std::vector<const Property*>& properties,
                                                    ProofWatch& watch);

}  // namespace lockkeeper::proofs

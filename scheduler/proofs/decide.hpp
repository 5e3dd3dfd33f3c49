// SPDX-License-Identifier: Apache-2.0

// A verdict for every number of callers: exploration of 1, 2, 3, ... callers on one side, the
// search for a proof on the other. "Violated" is the explorer's word: nobody else can say it, and
// since small numbers come first, the first that is violated is the least. "Proved" is
// the word of the checker, who has accepted the certificate.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/proofs/prove.hpp"

namespace lockkeeper::proofs {

enum class Scope : std::uint8_t { kPassed, kViolated, kUndecided };

struct Deciding {
    std::size_t kinds = 1;  // of callers
    // Explores with so many callers of each kind; at least one of each.
    std::function<Scope(const std::vector<std::size_t>& counts)> explore;
    std::function<ProofAttempt()> prove;
    // Why the checker refuses a certificate; empty: it accepts.
    std::function<std::string(const Certificate&)> check;
    std::size_t callers_max = 8;      // that are explored
    std::size_t callers_at_once = 3;  // that are explored before anything is proved
    // Where there is no proof: whether all numbers are to be explored again, since they were for a
    // short while only. Nothing: they are not.
    std::function<bool()> begins_again = nullptr;
};

struct Decision {
    std::optional<ProofAttempt> proved;
    // By kind: the least number of callers with which something is violated; where several have the
    // same sum, the first that was found. `explored`: all with a smaller sum passed.
    std::optional<std::vector<std::size_t>> violated;
    std::string undecided;     // why, where it is neither
    std::size_t explored = 0;  // all numbers of callers up to this are explored, and passed
};

[[nodiscard]] Decision decide(const Deciding& question);

}  // namespace lockkeeper::proofs

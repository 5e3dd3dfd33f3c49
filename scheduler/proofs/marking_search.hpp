// SPDX-License-Identifier: Apache-2.0

// Sets of markings that are closed under steps. Each of the two ways ends with such a set, or says
// why there is none. Nothing depends on how the set was found: it is a proof because every step
// from it leads into it, which is checked once more by who takes a certificate.
//
//   search_counts    exact small numbers. Where a run of steps adds callers somewhere and changes
//                    nothing else, that number can be any; it is so from then on (Karp and Miller),
//                    or, coarser and faster, from the beginning.
//   search_weights   no numbers at all: everybody may be everywhere where the weights allow it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/proofs/marking_judge.hpp"
#include "scheduler/proofs/proof_watch.hpp"

namespace lockkeeper::proofs {

// One step of what follows from a marking, as weights see it. Who hears of a step of nobody's is
// one more for each, in which nothing else changes.
struct WeighedStep {
    SharedId shared = 0;
    SharedId shared_after = 0;
    std::optional<LocalId> local;  // nothing: a step of nobody's
    LocalId local_after = 0;
};

// For tests of the checker: what a search might do wrong.
enum class SearchBug : std::uint8_t {
    kNone,
    kDropsSteps,
    kJudgesNothing,
    kPumpsWithoutReason,
    kHearsNothing,          // of steps of nobody's
    kWaitsForWhoMayBeLate,  // and may not be there
};

struct SearchLimits {
    ProofWatch* watch = nullptr;  // somebody
    std::size_t markings_max = 200'000;
    const char* doing = "";  // for whoever looks on
    SearchBug bug = SearchBug::kNone;
};

struct ClosedSet {
    // All `locals` may be there in any number, as far as the weights allow it; the markings say
    // nothing of them.
    bool everybody = false;
    std::vector<LocalId> locals;  // who is there at all, sorted
    std::vector<Marking> markings;
    std::vector<Weights> weights;
};

struct SearchResult {
    std::optional<ClosedSet> closed;     // and no marking of it is bad
    std::optional<Broken> broken;        // perhaps
    std::string limit;                   // which one ended it
    std::vector<WeighedStep> unweighed;  // steps that do not keep the weights
};

enum class Pumping : std::uint8_t {
    kNone,         // exactly as many callers as at first
    kAtOnceHeard,  // as kAtOnce, and so is whatever steps of nobody's make of him there: faster
    kAtOnce,       // who can be made more is any number from the beginning
    kLater,        // from the marking on where that was found
    kUnmoved,      // as kLater, and only whom no step of nobody's moves on the way from there
};

// `first`: how many callers of each group there are at first; kAnyNumber.
[[nodiscard]] SearchResult search_counts(ReplicatedSteps& steps, MarkingJudge& judge,
                                         const std::vector<Weights>& weights,
                                         const std::vector<std::uint16_t>& first, Pumping pumping,
                                         const SearchLimits& limits,
                                         std::vector<WeighedStep>* taken = nullptr);

[[nodiscard]] SearchResult search_weights(ReplicatedSteps& steps, MarkingJudge& judge,
                                          std::vector<Weights> weights, const SearchLimits& limits);

}  // namespace lockkeeper::proofs

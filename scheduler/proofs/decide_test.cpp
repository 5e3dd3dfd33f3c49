// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/decide.hpp"

#include <utility>

#include <gtest/gtest.h>

namespace lockkeeper::proofs {
namespace {

using Counts = std::vector<std::size_t>;

// Answers as it is told, and notes what it was asked.
struct Told {
    std::vector<Counts> explored;
    int proofs = 0;
    std::size_t violated_from = 100;   // this sum on
    std::size_t undecided_from = 100;  // the same
    bool has_proof = false;
    std::string refusal;
    bool is_short = false;  // the first time: is undecided from 2 on

    Decision decide(std::size_t kinds = 1) {
        return proofs::decide({kinds,
                               [this](const Counts& counts) {
                                   explored.push_back(counts);
                                   std::size_t sum = 0;
                                   for (const std::size_t count : counts) {
                                       sum += count;
                                   }
                                   if (is_short && sum > 1) {
                                       return Scope::kUndecided;
                                   }
                                   return sum >= violated_from    ? Scope::kViolated
                                          : sum >= undecided_from ? Scope::kUndecided
                                                                  : Scope::kPassed;
                               },
                               [this] {
                                   ++proofs;
                                   ProofAttempt made;
                                   made.why_not = has_proof ? "" : "none";
                                   if (has_proof) {
                                       made.certificate.emplace();
                                   }
                                   return made;
                               },
                               [this](const Certificate&) { return refusal; }, 6, 2,
                               [this] { return std::exchange(is_short, false); }});
    }
};

TEST(DecideTest, AProofIsTakenWhenTheCheckerAcceptsIt) {
    Told told;
    told.has_proof = true;
    const Decision decision = told.decide();
    EXPECT_TRUE(decision.proved);
    EXPECT_EQ(decision.explored, 2U);
}

TEST(DecideTest, AProofThatTheCheckerRefusesIsNone) {
    Told told;
    told.has_proof = true;
    told.refusal = "a combination is missing";
    const Decision decision = told.decide();
    EXPECT_FALSE(decision.proved);
    EXPECT_FALSE(decision.violated);
    EXPECT_NE(decision.undecided.find("a combination is missing"), std::string::npos);
    EXPECT_EQ(decision.explored, 6U);
}

TEST(DecideTest, WhatFewCallersBreakIsFoundBeforeAnythingIsProved) {
    Told told;
    told.has_proof = true;
    told.violated_from = 2;
    EXPECT_EQ(told.decide().violated, Counts{2});
    EXPECT_EQ(told.proofs, 0);
}

TEST(DecideTest, WithoutAProofMoreCallersAreExploredInOrder) {
    Told told;
    told.violated_from = 5;
    const Decision decision = told.decide();
    EXPECT_EQ(decision.violated, Counts{5});
    EXPECT_EQ(decision.explored, 4U);
    EXPECT_EQ(told.explored, (std::vector<Counts>{{1}, {2}, {3}, {4}, {5}}));
}

TEST(DecideTest, BehindANumberThatIsNotDecidedNoNumberIsTheLeast) {
    Told told;
    told.undecided_from = 3;
    told.violated_from = 4;
    const Decision decision = told.decide();
    EXPECT_FALSE(decision.violated);
    EXPECT_EQ(decision.explored, 2U);
    EXPECT_NE(decision.undecided, "");
}

TEST(DecideTest, WithoutAProofWhatWasExploredForAShortWhileIsExploredAgain) {
    Told told;
    told.is_short = true;
    told.violated_from = 3;
    const Decision decision = told.decide();
    EXPECT_EQ(decision.violated, Counts{3});
    EXPECT_EQ(decision.explored, 2U);
    EXPECT_EQ(told.explored, (std::vector<Counts>{{1}, {2}, {1}, {2}, {3}}));
}

TEST(DecideTest, AProofAfterAShortWhileIsOne) {
    Told told;
    told.is_short = told.has_proof = true;
    told.violated_from = 3;
    const Decision decision = told.decide();
    EXPECT_TRUE(decision.proved);
    EXPECT_EQ(decision.explored, 1U);
}

TEST(DecideTest, OfEachKindThereIsOneAtLeast) {
    Told told;
    told.violated_from = 4;
    EXPECT_EQ(told.decide(2).violated, (Counts{1, 3}));
    EXPECT_EQ(told.explored, (std::vector<Counts>{{1, 1}, {1, 2}, {2, 1}, {1, 3}}));
}

}  // namespace
}  // namespace lockkeeper::proofs

// SPDX-License-Identifier: Apache-2.0

// The canal lock and the single counter for every number of callers, and certificates with
// something wrong in them.
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "scheduler/proofs/proof_scopes_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using proofs::Bytes;
using proofs::Certificate;
using proofs::ProofAttempt;
using proofs::Way;
using testing_model::kIsSlowBuild;

struct CanalCase {
    const char* name;
    std::uint8_t repairs;
    bool manager;
    std::vector<View> views;
    bool crash;
    const char* method;  // "": not proved

    friend std::ostream& operator<<(std::ostream& out, const CanalCase& which) {
        return out << which.name;
    }
};

class CanalForEveryNumberTest : public ::testing::TestWithParam<CanalCase> {};

TEST_P(CanalForEveryNumberTest, IsProvedWhereItHoldsAndTheCheckerAgrees) {
    const CanalCase& which = GetParam();
    const auto subject = canal_subject(which.repairs, which.manager, which.views, which.crash);
    const ProofAttempt made = prove(subject, {.markings_max = kIsSlowBuild ? 10'000U : 200'000U});
    EXPECT_EQ(made.method, which.method) << made.why_not;
    ASSERT_EQ(made.certificate.has_value(), !made.method.empty());
    if (made.certificate) {
        EXPECT_EQ(proofs::why_refused(*made.certificate, subject.apart()), "");
    } else {
        EXPECT_NE(made.why_not, "");
    }
}

constexpr std::uint8_t without(canal::Repair repair) {
    return static_cast<std::uint8_t>(canal::kAllRepairs & ~repair);
}

// Without a repair there is no proof where that repair is what helps.
INSTANTIATE_TEST_SUITE_P(
    AllOfThem, CanalForEveryNumberTest,
    ::testing::Values(
        CanalCase{
            "repaired_without_manager", canal::kAllRepairs, false, {{2, 2}}, false, "weights"},
        CanalCase{"repaired", canal::kAllRepairs, true, {{2, 2}}, true, "weights"},
        CanalCase{
            "repaired_two_views", canal::kAllRepairs, true, {{1, 1}, {1, 2}}, true, "weights"},
        CanalCase{"published_one_place", canal::kNoRepair, false, {{1, 1}}, false, "counts"},
        CanalCase{"published_with_manager", canal::kNoRepair, true, {{1, 1}}, false, "counts"},
        CanalCase{"published_crash", canal::kNoRepair, true, {{1, 1}}, true, ""},
        CanalCase{"published_two_buckets", canal::kNoRepair, true, {{1, 2}}, false, ""},
        CanalCase{"no_whole_row_take", without(canal::kWholeRowTake), true, {{1, 2}}, true, ""},
        CanalCase{"no_whole_row_give", without(canal::kWholeRowGiveBack), true, {{1, 2}}, true, ""},
        CanalCase{
            "no_own_view", without(canal::kCountAgainstView), true, {{1, 2}, {2, 2}}, true, ""},
        CanalCase{"no_announcement", without(canal::kAnnounceFirst), true, {{1, 1}}, true, ""},
        CanalCase{"no_owners", without(canal::kOwnersInRow), true, {{1, 1}}, true, ""}),
    [](const auto& which) { return std::string(which.param.name); });

TEST(ProveTest, TheRepairedLockWithAHundredPlacesIsProvedByWeights) {
    const auto places = static_cast<std::uint16_t>(kIsSlowBuild ? 4 : 10);
    const ProofAttempt made =
        prove(canal_subject(canal::kAllRepairs, true, {{places, places}}, true));
    EXPECT_EQ(made.method, "weights") << made.why_not;
}

TEST(ProveTest, CountsProveTheRepairedLockAsWell) {
    for (const Way way : {Way::kCountsAtOnce, Way::kCountsLater}) {
        const auto subject = canal_subject(canal::kAllRepairs, true, {{2, 1}}, true);
        const ProofAttempt made = prove(subject, {.ways = {way}});
        ASSERT_TRUE(made.certificate) << made.why_not;
        EXPECT_EQ(proofs::why_refused(*made.certificate, subject.apart()), "");
    }
}

using Counter = single_counter::SingleCounter<WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>>;

TEST(ProveTest, ASingleCounterIsProvedForOneViewAndNotForTwo) {
    Subject<Counter> one{Counter(single_counter::Options{}), callers_seeing({{1, 1}}, false)};
    EXPECT_TRUE(prove(one).certificate) << prove(one).why_not;
    single_counter::Options both;
    both.capacities = {1, 2};
    Subject<Counter> two{Counter(both), callers_seeing({{1, 1}, {1, 2}}, false)};
    EXPECT_FALSE(prove(two).certificate);
}

TEST(ProveTest, WhatACrashLeavesInASingleCounterIsNotProvedAway) {
    Subject<Counter> one{Counter(single_counter::Options{}), callers_seeing({{1, 1}}, true)};
    const ProofAttempt made = prove(one);
    EXPECT_FALSE(made.certificate);
    EXPECT_NE(made.why_not.find("leak"), std::string::npos) << made.why_not;
}

TEST(ProveTest, WhatGrowsWithoutEndIsNamedAndNoPass) {
    auto subject = canal_subject(canal::kAllRepairs, false, {{2, 2}}, false);
    subject.world.callers[0].script.resize(1);  // takes, and never gives back
    subject.world.callers[0].script[0].place_capacity = 100;
    const ProofAttempt made = prove(subject);
    EXPECT_FALSE(made.certificate);
    EXPECT_NE(made.why_not, "");
}

// --- certificates ------------------------------------------------------------------------------

using Damage = std::function<bool(Certificate&, std::mt19937&)>;

std::size_t any_of(std::mt19937& random, std::size_t size) { return random() % size; }

std::int64_t another(std::mt19937& random, std::int64_t number) {
    const auto change = static_cast<std::int64_t>(1 + random() % 3);
    return random() % 2 == 0 ? number + change : number - change;
}

// Each changes something, or says that there is nothing to change.
const std::vector<std::pair<const char*, Damage>> kDamages{
    {"a weight of a situation",
     [](Certificate& proof, std::mt19937& random) {
         auto& weights = proof.situations[any_of(random, proof.situations.size())].weights;
         if (weights.empty()) {
             return false;
         }
         std::int64_t& weight = weights[any_of(random, weights.size())];
         weight = another(random, weight);
         return true;
     }},
    {"a weight of a shared part",
     [](Certificate& proof, std::mt19937& random) {
         auto& weights = proof.shared[any_of(random, proof.shared.size())].weights;
         if (weights.empty()) {
             return false;
         }
         std::int64_t& weight = weights[any_of(random, weights.size())];
         weight = another(random, weight);
         return true;
     }},
    {"a byte of a situation",
     [](Certificate& proof, std::mt19937& random) {
         Certificate::Situation& one = proof.situations[any_of(random, proof.situations.size())];
         char& byte = one.local.slot[any_of(random, one.local.slot.size())];
         byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
         return true;
     }},
    {"a byte of a shared part",
     [](Certificate& proof, std::mt19937& random) {
         Bytes& bytes = proof.shared[any_of(random, proof.shared.size())].bytes;
         char& byte = bytes[any_of(random, bytes.size())];
         byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
         return true;
     }},
    {"a combination less",
     [](Certificate& proof, std::mt19937& random) {
         proof.combinations.erase(
             proof.combinations.begin() +
             static_cast<std::ptrdiff_t>(any_of(random, proof.combinations.size())));
         return true;
     }},
    {"a combination twice",
     [](Certificate& proof, std::mt19937& random) {
         proof.combinations.push_back(
             proof.combinations[any_of(random, proof.combinations.size())]);
         return true;
     }},
    {"a shared part twice",
     [](Certificate& proof, std::mt19937& random) {
         proof.shared.push_back(proof.shared[any_of(random, proof.shared.size())]);
         return true;
     }},
    {"a situation twice, with other weights",
     [](Certificate& proof, std::mt19937& random) {
         proof.situations.push_back(proof.situations[any_of(random, proof.situations.size())]);
         for (std::int64_t& weight : proof.situations.back().weights) {
             ++weight;
         }
         return true;
     }},
    {"a situation less",
     [](Certificate& proof, std::mt19937& random) {
         proof.situations.erase(proof.situations.begin() + static_cast<std::ptrdiff_t>(any_of(
                                                               random, proof.situations.size())));
         return true;
     }},
    {"a count",
     [](Certificate& proof, std::mt19937& random) {
         auto& counts = proof.combinations[any_of(random, proof.combinations.size())].counts;
         if (counts.empty()) {
             return false;
         }
         std::int64_t& count = counts[any_of(random, counts.size())].count;
         const std::int64_t before = count;
         count = count == Certificate::kAny ? 1 : another(random, count);
         return count != before && count != Certificate::kAny;
     }},
    {"a combination of another shared part",
     [](Certificate& proof, std::mt19937& random) {
         Certificate::Combination& one =
             proof.combinations[any_of(random, proof.combinations.size())];
         const std::size_t before = one.shared;
         one.shared = any_of(random, proof.shared.size());
         return one.shared != before;
     }},
    {"everybody or not",
     [](Certificate& proof, std::mt19937&) {
         proof.everybody = !proof.everybody;
         return true;
     }},
    {"weights less", [](Certificate& proof, std::mt19937&) {
         bool any = false;
         for (auto& one : proof.situations) {
             any = any || !one.weights.empty();
             one.weights.clear();
         }
         for (auto& one : proof.shared) {
             one.weights.clear();
         }
         return any && proof.everybody;
     }}};

struct Proved {
    proofs::ReplicatedWorld apart;
    Certificate certificate;
};
std::vector<Proved> some_proofs() {
    std::vector<Proved> all;
    const auto add = [&](const auto& subject, const std::vector<Way>& ways) {
        ProofAttempt made = prove(subject, {.ways = ways});
        EXPECT_TRUE(made.certificate) << made.why_not;
        all.push_back({subject.apart(), *std::move(made.certificate)});
    };
    add(canal_subject(canal::kAllRepairs, true, {{1, 1}}, true), {Way::kWeights});
    add(canal_subject(canal::kAllRepairs, true, {{1, 1}}, false), {Way::kCountsAtOnce});
    add(canal_subject(canal::kNoRepair, false, {{1, 1}}, false),
        {Way::kWeights, Way::kCountsAtOnce, Way::kCountsLater});
    add(canal_subject(canal::kAllRepairs, false, {{1, 2}}, false), {Way::kWeights});
    return all;
}

TEST(CertificateTest, WithAnythingChangedIsRefused) {
    const int times = kIsSlowBuild ? 20 : 150;
    std::mt19937 random(7);
    int tried = 0;
    for (const Proved& proved : some_proofs()) {
        ASSERT_EQ(proofs::why_refused(proved.certificate, proved.apart), "");
        for (const auto& [what, damage] : kDamages) {
            for (int i = 0; i < times; ++i) {
                Certificate damaged = proved.certificate;
                if (damage(damaged, random)) {
                    ++tried;
                    EXPECT_NE(proofs::why_refused(damaged, proved.apart), "")
                        << what << "\n"
                        << proofs::to_text(damaged);
                }
            }
        }
    }
    EXPECT_GT(tried, 20 * times);
}

// Nothing of it is put into a state: its script has no such operation.
TEST(CertificateTest, ASituationThatNobodyCanBeInIsRefusedBeforeItIsTried) {
    for (const Proved& proved : some_proofs()) {
        Certificate damaged = proved.certificate;
        for (const int operation : {5, 200, 255}) {
            proofs::Certificate::Situation nowhere = proved.certificate.situations.front();
            nowhere.local.slot[0] = static_cast<char>(operation);
            damaged.situations.insert(damaged.situations.begin(), nowhere);
        }
        for (Certificate::Combination& combination : damaged.combinations) {
            for (Certificate::Many& many : combination.counts) {
                many.situation += 3;
            }
        }
        EXPECT_NE(proofs::why_refused(damaged, proved.apart), "");
    }
}

TEST(CertificateTest, OfAnotherLockIsRefused) {
    const auto repaired = canal_subject(canal::kAllRepairs, true, {{1, 1}}, true);
    const Certificate proof = *prove(repaired).certificate;
    for (const std::uint8_t repairs : {without(canal::kAnnounceFirst), without(canal::kOwnersInRow),
                                       std::uint8_t{canal::kNoRepair}}) {
        const auto other = canal_subject(repairs, true, {{1, 1}}, true);
        EXPECT_NE(proofs::why_refused(proof, other.apart()), "") << int{repairs};
    }
    const auto more = canal_subject(canal::kAllRepairs, true, {{1, 2}}, true);
    EXPECT_NE(proofs::why_refused(proof, more.apart()), "");
}

// --- planted bugs of the search ------------------------------------------------------------------

TEST(PlantedSearchBugTest, AProofByASearchThatDropsStepsIsRefused) {
    int proofs_found = 0;
    for (const Way way : {Way::kWeights, Way::kCountsAtOnce, Way::kCountsLater}) {
        const auto subject = canal_subject(canal::kAllRepairs, true, {{2, 1}}, true);
        const ProofAttempt made =
            prove(subject, {.ways = {way}, .bug = proofs::SearchBug::kDropsSteps});
        proofs_found += made.certificate ? 1 : 0;
        EXPECT_TRUE(!made.certificate ||
                    !proofs::why_refused(*made.certificate, subject.apart()).empty());
    }
    EXPECT_GT(proofs_found, 0);
}

TEST(PlantedSearchBugTest, AProofByASearchThatJudgesNothingIsRefused) {
    for (const Way way : {Way::kWeights, Way::kCountsAtOnce, Way::kCountsLater}) {
        const auto subject = canal_subject(without(canal::kAnnounceFirst), true, {{1, 1}}, true);
        const ProofAttempt made =
            prove(subject, {.ways = {way}, .bug = proofs::SearchBug::kJudgesNothing});
        ASSERT_TRUE(made.certificate) << made.why_not;
        EXPECT_NE(proofs::why_refused(*made.certificate, subject.apart()), "");
    }
}

TEST(PlantedSearchBugTest, ASearchThatPumpsWithoutReasonProvesNothingFalse) {
    for (const Way way : {Way::kCountsAtOnce, Way::kCountsLater}) {
        for (const std::uint8_t repairs :
             {std::uint8_t{canal::kAllRepairs}, without(canal::kAnnounceFirst)}) {
            const auto subject = canal_subject(repairs, true, {{1, 1}}, true);
            const ProofAttempt made =
                prove(subject, {.ways = {way}, .bug = proofs::SearchBug::kPumpsWithoutReason});
            EXPECT_TRUE(!made.certificate || repairs == canal::kAllRepairs);
        }
    }
}

}  // namespace
}  // namespace lockkeeper::testing_proofs

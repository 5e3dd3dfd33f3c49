// SPDX-License-Identifier: Apache-2.0

// Each damage makes a certificate say something that it must not, and has its reason for refusal.
#include <functional>

#include <gtest/gtest.h>

#include "scheduler/proofs/known_locks_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using proofs::Certificate;
using proofs::Way;

struct Misfit {
    const char* why;
    std::function<void(Certificate&)> damage;
};

// Damages what is said of all callers, whoever they are.
std::vector<Misfit> of_everybody() {
    constexpr const char* kProperty = "a property that cannot be proved, or is said twice";
    constexpr const char* kSituation = "a situation that fits no caller, or is said twice";
    constexpr const char* kPart = "a shared part that does not fit, or is said twice";
    return {
        {kProperty, [](Certificate& c) { c.proved.emplace_back("no such thing"); }},
        {kProperty, [](Certificate& c) { c.proved.emplace_back("livelock"); }},
        {kProperty, [](Certificate& c) { c.proved.push_back(c.proved.front()); }},
        {"nothing is proved", [](Certificate& c) { c.proved.clear(); }},
        {"nobody is there", [](Certificate& c) { c.situations.clear(); }},
        {kSituation, [](Certificate& c) { c.situations.back().local.group = 1; }},
        {kSituation, [](Certificate& c) { c.situations.back().local.slot += '\0'; }},
        {kSituation, [](Certificate& c) { c.situations.back().weights.push_back(0); }},
        {kSituation, [](Certificate& c) { c.situations.back().weights.back() = -1; }},
        {kSituation, [](Certificate& c) { c.situations.push_back(c.situations.front()); }},
        {kPart, [](Certificate& c) { c.shared.back().bytes += '\0'; }},
        {kPart, [](Certificate& c) { c.shared.back().weights.push_back(0); }},
        {kPart, [](Certificate& c) { c.shared.push_back(c.shared.front()); }},
        {"weights that are said twice",
         [](Certificate& c) {
             for (auto& each : c.situations) {
                 each.weights.push_back(each.weights.front());
             }
             for (auto& each : c.shared) {
                 each.weights.push_back(each.weights.front());
             }
         }},
        {"a combination without a shared part",
         [](Certificate& c) { c.combinations.back().shared = c.shared.size(); }},
        {"counts where everybody may be",
         [](Certificate& c) {
             c.combinations.back().counts = {{0, 1}};
         }},
        {"a combination that is said twice",
         [](Certificate& c) { c.combinations.push_back(c.combinations.front()); }},
        {"the first shared part weighs something",
         [](Certificate& c) {
             for (auto& each : c.shared) {
                 ++each.weights.front();
             }
         }},
        {"who has not begun weighs something",
         [](Certificate& c) {
             for (auto& each : c.situations) {
                 ++each.weights.front();
             }
         }},
    };
}
std::vector<Misfit> of_counts() {
    constexpr const char* kCount = "a count that is none, or is said twice";
    return {
        {kCount, [](Certificate& c) { c.combinations.back().counts.back().count = 0; }},
        {kCount, [](Certificate& c) { c.combinations.back().counts.back().count = -2; }},
        {kCount,
         [](Certificate& c) {
             c.combinations.back().counts.back().situation = c.situations.size();
         }},
        {kCount,
         [](Certificate& c) {
             auto& counts = c.combinations.back().counts;
             counts.push_back(counts.front());
         }},
        {"a combination that is not reached",
         [](Certificate& c) {
             c.combinations.push_back({0, {{0, 77}}});
         }},
        {"a step leads out of the combinations", [](Certificate& c) { c.combinations.pop_back(); }},
    };
}

TEST(EachDamageTest, EachThingThatDoesNotFitIsRefusedForItsReason) {
    const WorldConfig callers = callers_seeing({{1, 1}}, false);
    const Subject<LooksFirst> subject{taking_at_once(), callers};
    const auto by_weights = unjudged(taking_at_once(), "leak", Way::kWeights, {});
    const auto by_counts = unjudged(taking_at_once(), "leak", Way::kCountsLater, {});
    ASSERT_TRUE(by_weights && by_counts);
    ASSERT_FALSE(by_weights->situations.front().weights.empty());
    for (const auto& [proof, damages] :
         {std::pair(*by_weights, of_everybody()), std::pair(*by_counts, of_counts())}) {
        ASSERT_EQ(proofs::why_refused(proof, subject.apart()), "");
        for (std::size_t i = 0; i < damages.size(); ++i) {
            Certificate damaged = proof;
            damages[i].damage(damaged);
            EXPECT_EQ(proofs::why_refused(damaged, subject.apart()), damages[i].why) << i;
        }
    }
}

}  // namespace
}  // namespace lockkeeper::testing_proofs

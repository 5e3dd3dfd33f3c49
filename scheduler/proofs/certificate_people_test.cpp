// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/certificate_people.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::proofs {
namespace {

using Many = Certificate::Many;
constexpr std::int64_t kAny = Certificate::kAny;

// Callers weigh nothing, 1 or 3; all together weigh 4.
Certificate weighing() {
    Certificate said;
    said.situations = {{{0, "a"}, {0}}, {{0, "b"}, {1}}, {{0, "c"}, {3}}};
    said.shared = {{"s", {4}}};
    return said;
}

std::vector<std::pair<std::size_t, std::int64_t>> pairs_of(const CertificatePeople& people) {
    std::vector<std::pair<std::size_t, std::int64_t>> pairs;
    for (const Many& many : people.counts()) {
        pairs.emplace_back(many.situation, many.count);
    }
    return pairs;
}
using Pairs = std::vector<std::pair<std::size_t, std::int64_t>>;

TEST(CertificatePeopleTest, WhoIsTooHeavyForWhatIsLeftIsNotThere) {
    const Certificate said = weighing();
    const Certificate::Combination open{0, {{0, kAny}, {1, kAny}, {2, kAny}}};
    const CertificatePeople people(said, open);
    EXPECT_EQ(pairs_of(people), (Pairs{{0, kAny}, {1, kAny}, {2, kAny}}));
    // One of weight 3 leaves 1, where nobody of 3 is.
    EXPECT_EQ(pairs_of(people.without(2)), (Pairs{{0, kAny}, {1, kAny}}));
    EXPECT_EQ(pairs_of(people.without(2).without(1)), (Pairs{{0, kAny}}));
    EXPECT_EQ(pairs_of(people.without(1)), (Pairs{{0, kAny}, {1, kAny}, {2, kAny}}));
    // Exact counts are left as they are, and take what they weigh.
    const CertificatePeople two(said, {0, {{0, kAny}, {1, 2}, {2, kAny}}});
    EXPECT_EQ(pairs_of(two), (Pairs{{0, kAny}, {1, 2}}));
    EXPECT_EQ(pairs_of(two.without(1)), (Pairs{{0, kAny}, {1, 1}}));
    EXPECT_EQ(pairs_of(two.without(1).without(1)), (Pairs{{0, kAny}}));
}

TEST(CertificatePeopleTest, MoreThanThereIsIsImpossible) {
    const Certificate said = weighing();
    EXPECT_FALSE(CertificatePeople(said, {0, {{1, 4}}}).is_impossible());
    EXPECT_TRUE(CertificatePeople(said, {0, {{1, 5}}}).is_impossible());
    EXPECT_TRUE(CertificatePeople(said, {0, {{1, 2}, {2, 1}}}).is_impossible());
}

TEST(CertificatePeopleTest, EverybodyIsAnyNumberOfAll) {
    Certificate said = weighing();
    said.everybody = true;
    said.shared[0].weights = {2};
    EXPECT_EQ(pairs_of(CertificatePeople(said, {0, {}})), (Pairs{{0, kAny}, {1, kAny}}));
}

TEST(CertificatePeopleTest, TheMostIsWhatAWeightBounds) {
    const Certificate said = weighing();
    const CertificatePeople people(said, {0, {{0, kAny}, {1, 1}, {2, kAny}}});
    EXPECT_EQ(people.most({{0, 0}, {1, 5}, {2, 2}}), 5 + 3);  // 3 are left of 4
    EXPECT_EQ(people.most({{0, 0}, {1, 5}, {2, 3}}), 5 + 3);
    EXPECT_EQ(people.most({{0, 0}, {1, 5}, {2, 4}}), std::nullopt);
    EXPECT_EQ(people.most({{0, 1}, {1, 5}, {2, 0}}), std::nullopt);
    EXPECT_EQ(people.most({{0, 0}, {1, 5}, {2, 0}}), 5);
}

TEST(CertificatePeopleTest, WhatIsAlwaysTheSameIsWhatAWeightSays) {
    const Certificate said = weighing();
    const CertificatePeople people(said, {0, {{0, kAny}, {1, kAny}, {2, 1}}});
    const std::vector<Many> all{{0, kAny}, {1, kAny}, {2, 1}};
    EXPECT_EQ(people.always(all, {{0, 0}, {1, 1}, {2, 7}}), 7 + 1);
    EXPECT_EQ(people.always(all, {{0, 0}, {1, 2}, {2, 7}}), std::nullopt);
    EXPECT_EQ(people.always(all, {{0, 0}, {1, 0}, {2, 7}}), 7);
    // No caller of weight 1 is there.
    EXPECT_EQ(people.always({{0, kAny}, {2, 1}}, {{0, 0}, {2, 7}}), 7);
}

}  // namespace
}  // namespace lockkeeper::proofs

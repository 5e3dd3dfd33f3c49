// SPDX-License-Identifier: Apache-2.0

// The canal lock's figures: with and without symmetry, and with runs that never end.
#include <gtest/gtest.h>

#include "impl/canal/canal_lock.hpp"
#include "measure/chains_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper::testing_measure {
namespace {

using testing_model::acquire;
using testing_model::insist;
using testing_model::release;
using testing_model::world_of;
using CanalWorld = World<canal::CanalLock<canal::TinySize>>;

// Callers with one number of buckets are interchangeable.
ErasedSystem canal_system(const std::vector<int>& buckets, std::uint8_t crashes_max,
                          bool for_ever) {
    canal::CanalOptions options;
    options.max_decr_tries = 2;
    options.max_pers = {1};
    std::vector<std::vector<Operation>> scripts;
    for (const int seen : buckets) {
        scripts.push_back({for_ever ? insist(1, seen) : acquire(1, seen), release(1, seen)});
    }
    WorldConfig world = world_of(scripts);
    world.crashes_max = crashes_max;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        world.callers[i].group = static_cast<std::uint8_t>(buckets[i]);
        world.callers[i].repeats_forever = for_ever;
    }
    return ErasedSystem(CanalWorld(canal::CanalLock<canal::TinySize>(options), world));
}

void expect_same(const Figure& left, const Figure& right) {
    if (left.value == right.value) {
        return;  // infinite, too
    }
    EXPECT_NEAR(left.value / right.value, 1, 1e-9);
    EXPECT_LE(left.low, right.high);
    EXPECT_LE(right.low, left.high);
    EXPECT_LE(left.high / left.low, 1 + 2e-9);
}
void expect_same(const std::optional<Figure>& left, const std::optional<Figure>& right) {
    ASSERT_EQ(left.has_value(), right.has_value());
    if (left) {
        expect_same(*left, *right);
    }
}

MeasureResult expect_symmetry_changes_nothing(const ErasedSystem& system, const Law& law) {
    MeasureOptions options = options_for({"over-allocation", "leak", "double-release",
                                          "caller-death", "poisoned-key", "deadlock", "full"},
                                         law);
    const MeasureResult merged = measure_exactly(system, options);
    options.symmetry = false;
    const MeasureResult full = measure_exactly(system, options);
    EXPECT_TRUE(merged.complete);
    EXPECT_LT(merged.states, full.states);
    expect_same(merged.acquires_per_run, full.acquires_per_run);
    expect_same(merged.capacity_lost, full.capacity_lost);
    expect_same(merged.seconds_per_run, full.seconds_per_run);
    expect_same(merged.seconds_to_seizure, full.seconds_to_seizure);
    for (std::size_t i = 0; i < merged.properties.size(); ++i) {
        SCOPED_TRACE(merged.properties[i].property->name);
        expect_same(merged.properties[i].per_run, full.properties[i].per_run);
        expect_same(merged.properties[i].count_per_run, full.properties[i].count_per_run);
        expect_same(merged.properties[i].per_acquire, full.properties[i].per_acquire);
        expect_same(merged.properties[i].to_first, full.properties[i].to_first);
        expect_same(merged.properties[i].fraction_of_time, full.properties[i].fraction_of_time);
    }
    return merged;
}

TEST(CanalRates, SymmetryChangesNothingUnderTheUniformLaw) {
    const MeasureResult result =
        expect_symmetry_changes_nothing(canal_system({1, 2, 2}, 1, false), Law{});
    EXPECT_GT(result.properties[1].per_run.value, 0) << "a crash may leak";
    EXPECT_GT(result.capacity_lost.value, 0);
}

TEST(CanalRates, SymmetryChangesNothingUnderWeights) {
    const Law law = weights({{ActionClass::kArrival, 0.3},
                             {ActionClass::kBackground, 2.5},
                             {ActionClass::kCrash, 1e-7}});
    const MeasureResult result =
        expect_symmetry_changes_nothing(canal_system({2, 2}, 2, false), law);
    EXPECT_GT(result.properties[1].per_run.value, 0);
}

Law realistic() {
    return weights({{ActionClass::kArrival, 0.5},
                    {ActionClass::kDeparture, 1},
                    {ActionClass::kStep, 1000},
                    {ActionClass::kBackground, 1000},
                    {ActionClass::kCrash, 1.0 / 3600}},
                   LawKind::kRates);
}

TEST(CanalRates, SymmetryChangesNothingForEver) {
    const MeasureResult result =
        expect_symmetry_changes_nothing(canal_system({1, 1}, 1, true), realistic());
    EXPECT_GT(result.properties[1].per_run.value, 0);
    EXPECT_TRUE(result.properties[1].fraction_of_time);
}

TEST(CanalRates, BoundsHoldTheLawsProbability) {
    MeasureOptions options = options_for({"over-allocation", "leak", "full", "caller-death"});
    options.bounds = true;
    const MeasureResult result = measure_exactly(canal_system({1, 1, 2}, 1, false), options);
    EXPECT_EQ(result.limit, "");
    for (const PropertyRates& rates : result.properties) {
        SCOPED_TRACE(rates.property->name);
        ASSERT_TRUE(rates.extremes);
        EXPECT_LE(rates.extremes->least, rates.per_run.high);
        EXPECT_GE(rates.extremes->most, rates.per_run.low);
        EXPECT_EQ(rates.extremes->schedule_most.has_value(), rates.extremes->most > 0);
    }
    EXPECT_LT(result.properties[1].extremes->least, result.properties[1].extremes->most);
}

}  // namespace
}  // namespace lockkeeper::testing_measure

// SPDX-License-Identifier: Apache-2.0

// Rates sampled by several ranks, here threads: the figures of one process, to the last bit.
#include <gmock/gmock.h>

#include "measure/chains_test.hpp"
#include "measure/messages.hpp"
#include "measure/sampled.hpp"
#include "measure/sampler_crew.hpp"
#include "measure/shared_splitting.hpp"
#include "model/slow_build_test.hpp"
#include "scheduler/ranks/helping_ranks_test.hpp"
#include "scheduler/runs/system_walker.hpp"

namespace lockkeeper::testing_measure {
namespace {

using Measure = MeasureResult (*)(const MakeWalker&, const MeasureOptions&);

RankMessage all_of(MeasureResult result) {
    result.seconds = 0;
    RankMessage bytes;
    MessageWriter out(bytes);
    put(out, result);
    return bytes;
}

MeasureResult measured_by_ranks(std::size_t count, Measure measure, const MakeWalker& make_walker,
                                MeasureOptions options) {
    return testing_scheduler::with_helping_ranks<MeasureResult>(
        count,
        [&](Ranks& ranks) {
            options.helpers.ranks = &ranks;
            return measure(make_walker, options);
        },
        [&](FollowedTask& task) {
            if (task.kind() == RankTaskKind::kSample) {
                follow_sampling(make_walker, task);
            } else if (task.kind() == RankTaskKind::kLearn) {
                follow_learning(make_walker, task);
            } else {
                follow_splitting(make_walker, task);
            }
        });
}

MeasureResult measured_alike(Measure measure, const MakeWalker& make_walker,
                             const MeasureOptions& options) {
    MeasureResult alone = measure(make_walker, options);
    for (const std::size_t count : {1U, 2U, 3U, 4U}) {
        EXPECT_EQ(all_of(measured_by_ranks(count, measure, make_walker, options)), all_of(alone))
            << count << " ranks";
    }
    return alone;
}

TEST(MeasureRanks, SampleTheSameFiguresOfALockThatIsWrong) {
    MeasureOptions options = options_for({"full", "leak"});
    options.runs_max = testing_model::kIsSlowBuild ? 1'000 : 5'000;
    const auto system = two_callers(1);
    EXPECT_GT(measured_alike(measure_by_sampling, walkers_of(system), options).properties[1].hits,
              0U);
    options.jobs = 2;
    EXPECT_TRUE(measured_alike(measure_by_sampling, walkers_of(system), options).complete);
    options.runs_max = 10;  // fewer than a batch has
    EXPECT_EQ(measured_alike(measure_by_sampling, walkers_of(system), options).runs, 10U);
}

TEST(MeasureRanks, StopSamplingAtTheSameRun) {
    MeasureOptions options = options_for({"full", "leak"});
    options.relative_width = 0.5;
    const auto system = two_callers(1);
    const MeasureResult narrow = measured_alike(measure_by_sampling, walkers_of(system), options);
    EXPECT_TRUE(narrow.complete);
    options.relative_width = 0;
    options.below = 0.5;
    EXPECT_EQ(measured_alike(measure_by_sampling, walkers_of(system), options).is_below,
              std::optional(true));
}

TEST(MeasureRanks, SampleTheSameFiguresOfALockThatIsRight) {
    MeasureOptions options = options_for({"leak"});
    options.law = weights({{ActionClass::kArrival, 2}, {ActionClass::kStep, 7}}, LawKind::kRates);
    options.runs_max = testing_model::kIsSlowBuild ? 500 : 5'000;
    const MeasureResult right =
        measured_alike(measure_by_sampling, walkers_of(two_callers(0)), options);
    EXPECT_EQ(right.properties[0].hits, 0U);
    EXPECT_TRUE(right.seconds_per_run.has_value());
}

TEST(MeasureRanks, SplitTheSameRuns) {
    // Up with half of the weight of down, from one of six: the top is met in one run of 63.
    const auto seen = gamblers_ruin(6, 1);
    MeasureOptions options = options_for(
        {"full"}, weights({{ActionClass::kArrival, 0.5}, {ActionClass::kDeparture, 1}}));
    options.relative_width = testing_model::kIsSlowBuild ? 0.8 : 0.4;
    const MeasureResult rare = measured_alike(measure_by_splitting, walkers_of(seen), options);
    EXPECT_GT(rare.properties[0].per_run.value, 0) << rare.limit;
    options.jobs = 3;  // more workers than there are estimates between two looks
    static_cast<void>(measured_alike(measure_by_splitting, walkers_of(seen), options));
}

TEST(MeasureRanks, EndWithTheFirstWhenTimeIsUp) {
    MeasureOptions options = options_for({"full", "leak"});
    options.runs_max = 1'000'000'000;
    options.seconds_max = 0.1;
    const MeasureResult result =
        measured_by_ranks(3, measure_by_sampling, walkers_of(two_callers(1)), options);
    EXPECT_EQ(result.limit, "time");
    EXPECT_GT(result.runs, 0U);
}

}  // namespace
}  // namespace lockkeeper::testing_measure

// SPDX-License-Identifier: Apache-2.0
#include "measure/intervals.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scheduler/base/random.hpp"

namespace lockkeeper {
namespace {

std::uint64_t hits_among(std::uint64_t runs, double p, Random& random) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < runs; ++i) {
        hits += random.unit() < p ? 1 : 0;
    }
    return hits;
}

bool contains(const Figure& figure, double truth) {
    return figure.low <= truth && truth <= figure.high;
}

// By hand: of no hits among n the upper end is 1 - (e / 2)^(1/n), e the error; of one hit among
// one the lower end is e / 2.
TEST(ClopperPearson, AgreesWithTheClosedForms) {
    const Figure none = clopper_pearson(0, 1000, 0.99);
    EXPECT_EQ(none.value, 0);
    EXPECT_EQ(none.low, 0);
    EXPECT_NEAR(none.high, 1 - std::pow(0.005, 1.0 / 1000), 1e-12);
    const Figure all = clopper_pearson(1, 1, 0.99);
    EXPECT_EQ(all.high, 1);
    EXPECT_NEAR(all.low, 0.005, 1e-12);
    const Figure nothing = clopper_pearson(0, 0, 0.99);
    EXPECT_EQ(nothing.low, 0);
    EXPECT_EQ(nothing.high, 1);
}

// It misses at most one time in ten. Of 4000 samples at most 400 + 6 standard deviations of 19: a
// right interval fails this with a chance below 1e-8.
TEST(ClopperPearson, CoversAsOftenAsItSays) {
    for (const double p : {0.003, 0.05, 0.5, 0.98}) {
        int missed = 0;
        for (std::uint64_t seed = 0; seed < 4000; ++seed) {
            Random random(seed);
            missed += contains(clopper_pearson(hits_among(200, p, random), 200, 0.9), p) ? 0 : 1;
        }
        EXPECT_LE(missed, 514) << p;
        EXPECT_GT(missed, 0) << p << ": it is far too wide";
    }
}

// Looked at after every 25th run up to the 1000th: misses ever at most one time in ten; of 500
// samples at most 50 + 6 standard deviations of 6.7.
TEST(AnytimeInterval, CoversAtAllTimesAtOnce) {
    for (const double p : {0.01, 0.3}) {
        int missed = 0;
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            Random random(seed);
            bool misses = false;
            std::uint64_t hits = 0;
            for (std::uint64_t runs = 1; runs <= 1000 && !misses; ++runs) {
                hits += hits_among(1, p, random);
                misses = runs % 25 == 0 && !contains(anytime_interval(hits, runs, 0.9), p);
            }
            missed += misses ? 1 : 0;
        }
        EXPECT_LE(missed, 90) << p;
    }
}

TEST(AnytimeInterval, IsWiderThanThatOfAFixedNumberButNotMuch) {
    for (const std::uint64_t hits : {0U, 1U, 50U, 5000U, 9999U, 10000U}) {
        const Figure fixed = clopper_pearson(hits, 10'000, 0.99);
        const Figure anytime = anytime_interval(hits, 10'000, 0.99);
        EXPECT_LE(anytime.low, fixed.low) << hits;
        EXPECT_GE(anytime.high, fixed.high) << hits;
        EXPECT_LE(anytime.high - anytime.low, 2.5 * (fixed.high - fixed.low)) << hits;
        EXPECT_EQ(anytime.value, fixed.value);
    }
}

TEST(AnytimeInterval, KeepsItsDigitsWhereProbabilitiesAreSmall) {
    const Figure none = anytime_interval(0, 1'000'000'000'000, 0.99);
    EXPECT_GT(none.high, 5e-12);
    EXPECT_LT(none.high, 5e-11);
    const Figure some = anytime_interval(100, 1'000'000'000'000, 0.99);
    EXPECT_LT(some.low, 1e-10);
    EXPECT_GT(some.low, 4e-11);
    EXPECT_GT(some.high, 1e-10);
    EXPECT_LT(some.high, 2e-10);
}

enum class Answer { kNone, kBelow, kAbove };

Answer ask(double p, double bound, double error, std::uint64_t runs_max, Random& random,
           std::uint64_t& runs) {
    std::uint64_t hits = 0;
    for (runs = 20; runs <= runs_max; runs += 20) {
        hits += hits_among(20, p, random);
        if (evidence_below(hits, runs, bound) >= -std::log(error)) {
            return Answer::kBelow;
        }
        if (evidence_above(hits, runs, bound) >= -std::log(error)) {
            return Answer::kAbove;
        }
    }
    return Answer::kNone;
}

// The error of either answer is at most 5 %, also right at the bound, where a wrong answer is
// likeliest; of 1000 at most 50 + 6 standard deviations of 6.9.
TEST(SequentialTest, IsWrongAtMostAsOftenAsItSays) {
    int below_at_bound = 0;
    int above_at_bound = 0;
    int above_under_it = 0;
    int below_over_it = 0;
    std::uint64_t runs = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        Random random(seed);
        const Answer at = ask(0.05, 0.05, 0.05, 2000, random, runs);
        below_at_bound += at == Answer::kBelow ? 1 : 0;
        above_at_bound += at == Answer::kAbove ? 1 : 0;
        above_under_it += ask(0.04, 0.05, 0.05, 2000, random, runs) == Answer::kAbove ? 1 : 0;
        below_over_it += ask(0.06, 0.05, 0.05, 2000, random, runs) == Answer::kBelow ? 1 : 0;
    }
    EXPECT_LE(below_at_bound, 91);
    EXPECT_LE(above_at_bound, 91);
    EXPECT_GT(below_at_bound + above_at_bound, 5) << "it never answers: no test at all";
    EXPECT_LE(above_under_it, 20);
    EXPECT_LE(below_over_it, 20);
}

TEST(SequentialTest, AnswersEarlyWhereItIsClear) {
    std::uint64_t runs = 0;
    Random random(1);
    EXPECT_EQ(ask(0.0, 0.05, 0.01, 100'000, random, runs), Answer::kBelow);
    EXPECT_LE(runs, 160U);  // 99 % without a hit need 90 runs at least
    EXPECT_EQ(ask(0.2, 0.05, 0.01, 100'000, random, runs), Answer::kAbove);
    EXPECT_LE(runs, 400U);
}

TEST(Spread, MergesToTheSameAsOneByOne) {
    Spread whole;
    Spread left;
    Spread right;
    Random random(3);
    for (int i = 0; i < 1000; ++i) {
        const double value = random.unit() * 5 - 1;
        whole.add(value);
        (i < 300 ? left : right).add(value);
    }
    left.merge(right);
    left.merge(Spread{});
    EXPECT_EQ(left.count, whole.count);
    EXPECT_EQ(left.positive, whole.positive);
    EXPECT_NEAR(left.mean, whole.mean, 1e-12);
    EXPECT_NEAR(left.variance(), whole.variance(), 1e-12);
}

// 0, 1 and 2 by hand: mean 1, variance 1, t of two degrees at 99 % is 9.924843.
TEST(StudentInterval, AgreesWithTheTable) {
    Spread sample;
    for (const double value : {0.0, 1.0, 2.0}) {
        sample.add(value);
    }
    const Figure figure = student_interval(sample, 0.99);
    EXPECT_EQ(figure.value, 1);
    EXPECT_EQ(figure.low, 0);  // not below 0
    EXPECT_NEAR(figure.high, 1 + 9.9248432 / std::sqrt(3.0), 1e-6);
}

Spread all_equal(double value, int count) {
    Spread sample;
    for (int i = 0; i < count; ++i) {
        sample.add(value);
    }
    return sample;
}

// One run in 10,000 acquires nothing, the others twice: the mean is 1.9998. Most samples of 1,000
// do not show it.
TEST(MeanInterval, HasAWidthWhereAllRunsAgree) {
    const Figure figure = mean_interval(all_equal(2, 1000), 0.99);
    EXPECT_EQ(2, figure.value);
    EXPECT_TRUE(contains(figure, 1.9998)) << figure.low << " to " << figure.high;
    // An event of one run in 1,000 shows itself in 1,000 runs 63 times in 100.
    EXPECT_TRUE(contains(figure, 2 - 2 * 0.001));
    EXPECT_FALSE(contains(figure, 2 - 2 * 0.02));
    EXPECT_EQ(mean_interval(all_equal(2, 1000), 0.99).low,
              seldom_interval(all_equal(2, 1000), 0.99).low);
    EXPECT_EQ(0, mean_interval(all_equal(0, 1000), 0.99).high);
}

TEST(MeanInterval, IsStudentsWhereTheValuesScatter) {
    Random random(7);
    Spread sample;
    for (int i = 0; i < 1000; ++i) {
        sample.add(random.unit());
    }
    EXPECT_EQ(student_interval(sample, 0.99).low, mean_interval(sample, 0.99).low);
    EXPECT_EQ(student_interval(sample, 0.99).high, mean_interval(sample, 0.99).high);
}

// Two, or with probability p nothing or four. It misses at most one time in ten: of 2000 samples at
// most 200 + 6 standard deviations of 13.4. Student's t misses 1,800 of them for the smallest p.
TEST(MeanInterval, CoversWhatASampleHardlyShows) {
    for (const double p : {0.0002, 0.002, 0.01, 0.05}) {
        for (const double rare : {0.0, 4.0}) {
            const double truth = 2 + p * (rare - 2);
            int missed = 0;
            int missed_by_student = 0;
            for (std::uint64_t seed = 0; seed < 2000; ++seed) {
                Random random(seed);
                Spread sample;
                for (int i = 0; i < 500; ++i) {
                    sample.add(random.unit() < p ? rare : 2);
                }
                missed += contains(mean_interval(sample, 0.9), truth) ? 0 : 1;
                missed_by_student += contains(student_interval(sample, 0.9), truth) ? 0 : 1;
            }
            EXPECT_LE(missed, 280) << p << " of " << rare;
            EXPECT_TRUE(p > 0.0002 || missed_by_student > 1700) << missed_by_student;
        }
    }
}

TEST(SeldomInterval, SaysMoreThanZeroWhereNothingWasSeen) {
    Spread sample;
    for (int i = 0; i < 100; ++i) {
        sample.add(0);
    }
    const Figure none = seldom_interval(sample, 0.99);
    EXPECT_EQ(none.low, 0);
    EXPECT_NEAR(none.high, 1 - std::pow(0.005, 1.0 / 100), 1e-12);
    sample.add(4);
    const Figure one = seldom_interval(sample, 0.99);
    EXPECT_GT(one.low, 0);
    EXPECT_LE(one.low, one.value);
    EXPECT_NEAR(one.high, 4 * clopper_pearson(1, 101, 0.99).high, 1e-12);
}

}  // namespace
}  // namespace lockkeeper

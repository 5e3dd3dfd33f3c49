// SPDX-License-Identifier: Apache-2.0

// Intervals and tests for sampled figures: what was seen, how sure one may be of what is behind it.
// Called by sampled.cpp and splitting.cpp; docs/decisions/methods/sampled_rates.md says which is
// used where.
//
// All are two-sided at `confidence` (0.99: the true value is outside in at most 1 of 100 samples).
// Errors: none; hits <= runs, 0 < confidence < 1 and 0 < bound < 1 are asked for by
// LOCKKEEPER_CHECK.
#pragma once

#include <cstdint>

#include "measure/measure.hpp"

namespace lockkeeper {

// A probability from `hits` among `runs` independent runs, whose number was fixed beforehand:
// Clopper and Pearson (Biometrika 26, 1934). Exact: covers at least as often as it says, with no
// hits, too. No runs: 0 .. 1.
[[nodiscard]] Figure clopper_pearson(std::uint64_t hits, std::uint64_t runs, double confidence);

// The same, whenever one stops and for whatever reason: Robbins' confidence sequence from a mixture
// of likelihood ratios with Beta(1/2, 1/2) (Annals of Mathematical Statistics 41, 1970; Ville's
// inequality). About 1.5 times as wide.
[[nodiscard]] Figure anytime_interval(std::uint64_t hits, std::uint64_t runs, double confidence);

// Whether a probability is below `bound`, asked as often as one likes while runs come in. Each is
// the logarithm of an e-value: with a true probability at or above (below) the bound the chance
// that it ever exceeds log(1 / error) is at most `error`, by Ville's inequality.
[[nodiscard]] double evidence_below(std::uint64_t hits, std::uint64_t runs, double bound);
[[nodiscard]] double evidence_above(std::uint64_t hits, std::uint64_t runs, double bound);

// Mean and scatter of a sample, one value after the other (Welford; Chan et al. for merging).
struct Spread {
    std::uint64_t count = 0;
    double mean = 0;
    double squares = 0;  // sum of squared distances from the mean
    double most = 0;     // the largest value, of values that are not negative
    std::uint64_t positive = 0;

    void add(double value);
    void merge(const Spread& other);
    [[nodiscard]] double variance() const {
        return count < 2 ? 0 : squares / static_cast<double>(count - 1);
    }
};

// The mean of independent values by Student's t: right for many values, and for few ones if they
// scatter normally. One value or none: everything from 0 on.
[[nodiscard]] Figure student_interval(const Spread& sample, double confidence);

// The same of values that are not negative and may agree in almost all runs. What is rarer than the
// sample shows does not scatter in it: the share of such runs that the sample does not exclude,
// times the largest value, is added on both sides, unless the values scatter as if at least 30 of
// them were that far off. So the interval has a width, even if all values agree. To the upper side
// this takes no value for larger than twice the largest that was seen.
[[nodiscard]] Figure mean_interval(const Spread& sample, double confidence);

// The mean of values that are not negative and mostly 0. With at least 30 positive ones
// mean_interval; with fewer the interval of their share by Clopper and Pearson, each as large as
// the largest that was seen, or as `unit` where that is more; from below, whole numbers are at
// least 1 each.
enum class Values : std::uint8_t { kWhole, kReal };
[[nodiscard]] Figure seldom_interval(const Spread& sample, double confidence,
                                     Values values = Values::kWhole, double unit = 1);

// A quotient from the intervals of both, each at least at (1 + confidence) / 2. None by none is 0.
[[nodiscard]] Figure quotient(const Figure& above, const Figure& below);

// (high - low) / value; infinite at 0.
[[nodiscard]] double relative_width(const Figure& figure);

}  // namespace lockkeeper

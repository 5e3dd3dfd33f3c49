// SPDX-License-Identifier: Apache-2.0

// Whether a guess is where the changes lead to.
#include "measure/extrapolation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockkeeper {
namespace {

// x after n rounds: the limit, and parts that shrink by a factor each.
struct Shrinking {
    std::vector<double> limit;
    std::vector<std::vector<double>> parts;
    std::vector<double> factors;

    [[nodiscard]] std::vector<double> after(int rounds) const {
        std::vector<double> x = limit;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const double left = std::pow(factors[part], rounds);
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] += parts[part][i] * left;
            }
        }
        return x;
    }
};

Extrapolation followed(const Shrinking& shrinking) {
    Extrapolation extrapolation;
    extrapolation.begin(shrinking.after(0));
    for (int round = 1; round <= Extrapolation::kDepth; ++round) {
        extrapolation.follow(shrinking.after(round));
    }
    return extrapolation;
}

double largest_error(const std::vector<double>& x, const std::vector<double>& limit) {
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::abs(x[i] - limit[i]) / limit[i]);
    }
    return largest;
}

RC_GTEST_PROP(ExtrapolationOfSweeps, FindsTheLimitOfAFewSlowParts, ()) {
    const auto real = [](double least, double most) {
        return least + (most - least) * *rc::gen::inRange(0, 1'000'001) / 1e6;
    };
    Shrinking shrinking;
    const auto size = *rc::gen::inRange<std::size_t>(4, 40);
    for (std::size_t i = 0; i < size; ++i) {
        shrinking.limit.push_back(real(0.5, 2));
    }
    for (int part = 0; part < 3; ++part) {
        shrinking.factors.push_back(0.95 - 0.3 * part);
        std::vector<double>& values = shrinking.parts.emplace_back();
        for (std::size_t i = 0; i < size; ++i) {
            // Each part in places of its own: what changes alike cannot be told apart.
            values.push_back(i % 3 == static_cast<std::size_t>(part) ? real(0.05, 0.1) : 0);
        }
    }
    const double before = largest_error(shrinking.after(Extrapolation::kDepth), shrinking.limit);
    RC_PRE(before > 1e-3);
    std::vector<double> guess;
    RC_ASSERT(followed(shrinking).guess(guess));
    RC_ASSERT(largest_error(guess, shrinking.limit) < 1e-3 * before);
}

TEST(ExtrapolationOfSweeps, HasNoGuessWhereNothingChanges) {
    const Shrinking still{{1, 2, 3}, {}, {}};
    std::vector<double> guess;
    EXPECT_FALSE(followed(still).guess(guess));
}

}  // namespace
}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0
#include "measure/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/distributions.hpp"
#include "model/check.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kManyPositive = 30;

// ln of the integral of q^(a-1) (1-q)^(b-1) over [0, 1].
double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

double log_likelihood(double p, double hits, double misses) {
    const double hit = hits > 0 ? hits * std::log(p) : 0;
    const double miss = misses > 0 ? misses * std::log1p(-p) : 0;
    return hit + miss;
}

// Between a point where it is false and one where it is true, on a logarithmic scale.
template <class IsRejected>
double boundary(double kept, double rejected, IsRejected is_rejected) {
    for (int i = 0; i < 200 && std::abs(rejected / kept - 1) > 1e-13; ++i) {
        const double middle = std::sqrt(kept) * std::sqrt(rejected);
        (is_rejected(middle) ? rejected : kept) = middle;
    }
    return rejected;
}

void check_counts(std::uint64_t hits, std::uint64_t runs) { LOCKKEEPER_CHECK(hits <= runs); }

}  // namespace

Figure clopper_pearson(std::uint64_t hits, std::uint64_t runs, double confidence) {
    check_counts(hits, runs);
    LOCKKEEPER_CHECK(confidence > 0 && confidence < 1);
    if (runs == 0) {
        return {0, 0, 1};
    }
    const auto n = static_cast<double>(runs);
    const auto k = static_cast<double>(hits);
    const double tail = (1 - confidence) / 2;
    Figure figure{k / n, 0, 1};
    if (hits > 0) {
        figure.low = beta_quantile(k, n - k + 1, tail);
    }
    if (hits < runs) {
        figure.high = beta_upper_quantile(k + 1, n - k, tail);
    }
    return figure;
}

Figure anytime_interval(std::uint64_t hits, std::uint64_t runs, double confidence) {
    check_counts(hits, runs);
    LOCKKEEPER_CHECK(confidence > 0 && confidence < 1);
    if (runs == 0) {
        return {0, 0, 1};
    }
    const auto k = static_cast<double>(hits);
    const double misses = static_cast<double>(runs - hits);
    const double mixture = log_beta(k + 0.5, misses + 0.5) - log_beta(0.5, 0.5);
    const double most = -std::log(1 - confidence);
    const auto is_rejected = [&](double p) {
        return mixture - log_likelihood(p, k, misses) > most;
    };
    const double seen = k / static_cast<double>(runs);
    Figure figure{seen, 0, 1};
    // Far from what was seen everything is rejected. The side of failures is looked at as 1 - p.
    if (hits > 0) {
        const double kept = hits < runs ? seen : 1 - 1e-16;
        figure.low = boundary(kept, std::numeric_limits<double>::min(), is_rejected);
    }
    if (hits < runs) {
        const double kept = hits > 0 ? 1 - seen : 1 - 1e-16;
        const auto mirrored = [&](double q) {
            return mixture - log_likelihood(q, misses, k) > most;
        };
        figure.high = 1 - boundary(kept, std::numeric_limits<double>::min(), mirrored);
        if (figure.high < 1e-3) {  // 1 - q has lost digits: look at p itself
            const double least = std::max(seen, std::numeric_limits<double>::min());
            figure.high = boundary(least, 0.5, is_rejected);
        }
    }
    return figure;
}

// Under a true p at or above the bound, q < bound: the likelihood ratio of q to the bound is a
// supermartingale, and so is any mixture of them. Here q is uniform in (0, bound).
double evidence_below(std::uint64_t hits, std::uint64_t runs, double bound) {
    check_counts(hits, runs);
    LOCKKEEPER_CHECK(bound > 0 && bound < 1);
    const auto k = static_cast<double>(hits);
    const double misses = static_cast<double>(runs - hits);
    const double share = beta_share_below(k + 1, misses + 1, bound);
    if (share <= 0) {
        return -kInfinity;
    }
    return log_beta(k + 1, misses + 1) + std::log(share) - std::log(bound) -
           log_likelihood(bound, k, misses);
}

// The same from the other side: q in (bound, 1) with a density proportional to 1 / q, because what
// is above a small bound is mostly still small.
double evidence_above(std::uint64_t hits, std::uint64_t runs, double bound) {
    check_counts(hits, runs);
    LOCKKEEPER_CHECK(bound > 0 && bound < 1);
    if (hits == 0) {
        return 0;  // no evidence at all
    }
    const auto k = static_cast<double>(hits);
    const double misses = static_cast<double>(runs - hits);
    const double share = beta_share_above(k, misses + 1, bound);
    if (share <= 0) {
        return -kInfinity;
    }
    return log_beta(k, misses + 1) + std::log(share) - std::log(-std::log(bound)) -
           log_likelihood(bound, k, misses);
}

void Spread::add(double value) {
    ++count;
    const double before = value - mean;
    mean += before / static_cast<double>(count);
    squares += before * (value - mean);
    most = std::max(most, value);
    positive += value > 0 ? 1 : 0;
}

void Spread::merge(const Spread& other) {
    if (other.count == 0) {
        return;
    }
    const auto n = static_cast<double>(count);
    const auto m = static_cast<double>(other.count);
    const double distance = other.mean - mean;
    mean += distance * m / (n + m);
    squares += other.squares + distance * distance * n * m / (n + m);
    count += other.count;
    most = std::max(most, other.most);
    positive += other.positive;
}

Figure student_interval(const Spread& sample, double confidence) {
    if (sample.count < 2) {
        return {sample.mean, 0, kInfinity};
    }
    const auto n = static_cast<double>(sample.count);
    const double half =
        student_upper_quantile(n - 1, (1 - confidence) / 2) * std::sqrt(sample.variance() / n);
    return {sample.mean, std::max(0.0, sample.mean - half), sample.mean + half};
}

Figure mean_interval(const Spread& sample, double confidence) {
    Figure figure = student_interval(sample, confidence);
    const double far = sample.most * sample.most * static_cast<double>(kManyPositive);
    if (sample.count < 2 || sample.squares >= far) {
        return figure;
    }
    const double unseen = clopper_pearson(0, sample.count, confidence).high * sample.most;
    figure.low = std::max(0.0, figure.low - unseen);
    figure.high += unseen;
    return figure;
}

Figure seldom_interval(const Spread& sample, double confidence, Values values, double unit) {
    if (sample.positive >= kManyPositive) {
        return mean_interval(sample, confidence);
    }
    const Figure share = clopper_pearson(sample.positive, sample.count, confidence);
    const double low = values == Values::kWhole ? std::min(share.low, sample.mean) : 0;
    return {sample.mean, low, std::max(share.high * std::max(sample.most, unit), sample.mean)};
}

Figure quotient(const Figure& above, const Figure& below) {
    const auto divide = [](double a, double b) {
        return a == 0 ? 0 : b == 0 || std::isinf(a) ? kInfinity : a / b;
    };
    return {divide(above.value, below.value), divide(above.low, below.high),
            divide(above.high, below.low)};
}

double relative_width(const Figure& figure) {
    return figure.value > 0 ? (figure.high - figure.low) / figure.value : kInfinity;
}

}  // namespace lockkeeper

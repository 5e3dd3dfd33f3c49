// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/solve_weights.hpp"

#include <algorithm>
#include <numeric>

namespace lockkeeper::proofs {
namespace {

constexpr std::int64_t kPrime = (std::int64_t{1} << 31U) - 1;
constexpr std::size_t kBasisMost = 24;
constexpr std::size_t kRaysMost = 400;
constexpr std::int64_t kWeightMost = 1'000;

std::int64_t modulo(std::int64_t number) {
    const std::int64_t rest = number % kPrime;
    return rest < 0 ? rest + kPrime : rest;
}

std::int64_t inverse(std::int64_t number) {
    std::int64_t result = 1;
    for (std::int64_t left = kPrime - 2; left > 0; left /= 2) {
        result = left % 2 == 1 ? result * number % kPrime : result;
        number = number * number % kPrime;
    }
    return result;
}

// A fraction of small numbers; the denominator is 0 where there is none.
struct Fraction {
    std::int64_t numerator = 0;
    std::int64_t denominator = 0;
};
Fraction fraction_of(std::int64_t number) {
    for (std::int64_t denominator = 1; denominator <= 64; ++denominator) {
        const std::int64_t above = modulo(number * denominator);
        if (above <= kWeightMost) {
            return {above, denominator};
        }
        if (kPrime - above <= kWeightMost) {
            return {above - kPrime, denominator};
        }
    }
    return {};
}

using Vector = std::vector<std::int64_t>;

void divide_by_common(Vector& vector) {
    std::int64_t common = 0;
    for (const std::int64_t number : vector) {
        common = std::gcd(common, number);
    }
    for (std::int64_t& number : vector) {
        number = common > 1 ? number / common : number;
    }
}

// Everywhere where `of` is zero, `in` is zero, too.
bool has_less(const Vector& in, const Vector& of) {
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (in[i] != 0 && of[i] == 0) {
            return false;
        }
    }
    return true;
}

// Only those that are no sum of others.
void keep_extreme(std::vector<Vector>& rays) {
    std::sort(rays.begin(), rays.end());
    rays.erase(std::unique(rays.begin(), rays.end()), rays.end());
    std::vector<Vector> extreme;
    for (const Vector& ray : rays) {
        const bool is_sum = std::any_of(rays.begin(), rays.end(), [&](const Vector& other) {
            return other != ray && has_less(other, ray);
        });
        if (!is_sum) {
            extreme.push_back(ray);
        }
    }
    rays = std::move(extreme);
}

// Finds the sums of these with factors not below zero that are nowhere below zero (Farkas).
std::vector<Vector> nowhere_negative(std::vector<Vector> rays) {
    const std::size_t size = rays.empty() ? 0 : rays.front().size();
    for (std::size_t i = 0; i < size; ++i) {
        std::vector<Vector> next;
        for (const Vector& ray : rays) {
            if (ray[i] >= 0) {
                next.push_back(ray);
            }
        }
        for (const Vector& above : rays) {
            for (const Vector& below : rays) {
                if (above[i] <= 0 || below[i] >= 0) {
                    continue;
                }
                Vector sum(size);
                for (std::size_t j = 0; j < size; ++j) {
                    sum[j] = above[j] * -below[i] + below[j] * above[i];
                }
                divide_by_common(sum);
                next.push_back(std::move(sum));
            }
        }
        rays = std::move(next);
        if (rays.size() > kRaysMost) {
            rays.resize(kRaysMost);
        }
    }
    keep_extreme(rays);
    return rays;
}

}  // namespace

WeightEquations::WeightEquations(SharedId initial_shared,
                                 const std::vector<LocalId>& initial_locals) {
    of_shared_[initial_shared] = {};
    for (const LocalId local : initial_locals) {
        locals_.insert(local);
        add_row({{local, 1}});
    }
}

bool WeightEquations::add(const WeighedStep& step) {
    const auto before = of_shared_.find(step.shared);
    if (before == of_shared_.end()) {
        waiting_.push_back(step);
        return false;
    }
    Row after = before->second;
    const auto plus = [&](LocalId local, std::int64_t more) {
        locals_.insert(local);
        const std::int64_t sum = modulo(after[local] + more);
        sum == 0 ? static_cast<void>(after.erase(local)) : static_cast<void>(after[local] = sum);
    };
    if (step.local) {
        plus(step.local_after, 1);
        plus(*step.local, -1);
    }
    const auto [known, is_new] = of_shared_.emplace(step.shared_after, after);
    if (is_new) {
        std::vector<WeighedStep> waiting = std::move(waiting_);
        waiting_.clear();
        for (const WeighedStep& other : waiting) {
            add(other);
        }
        return true;
    }
    for (const auto& [local, factor] : known->second) {
        plus(local, -factor);
    }
    return add_row(std::move(after));
}

bool WeightEquations::add_row(Row row) {
    for (const auto& [first, known] : rows_) {
        const auto found = row.find(first);
        if (found == row.end()) {
            continue;
        }
        const std::int64_t factor = found->second;
        for (const auto& [local, number] : known) {
            const std::int64_t left = modulo(row[local] - factor * number % kPrime);
            left == 0 ? static_cast<void>(row.erase(local)) : static_cast<void>(row[local] = left);
        }
    }
    if (row.empty()) {
        return false;
    }
    const LocalId first = row.begin()->first;
    const std::int64_t factor = inverse(row.begin()->second);
    for (auto& [local, number] : row) {
        number = number * factor % kPrime;
    }
    for (auto& [other_first, other] : rows_) {
        const auto found = other.find(first);
        if (found == other.end()) {
            continue;
        }
        const std::int64_t times = found->second;
        for (const auto& [local, number] : row) {
            const std::int64_t left = modulo(other[local] - times * number % kPrime);
            left == 0 ? static_cast<void>(other.erase(local))
                      : static_cast<void>(other[local] = left);
        }
    }
    rows_.emplace(first, std::move(row));
    return true;
}

std::vector<Vector> WeightEquations::basis() const {
    std::vector<Vector> found;
    const std::size_t size = locals_.empty() ? 0 : *locals_.rbegin() + std::size_t{1};
    for (const LocalId free : locals_) {
        if (rows_.count(free) != 0) {
            continue;
        }
        std::vector<Fraction> fractions(size, Fraction{0, 1});
        fractions[free] = {1, 1};
        std::int64_t common = 1;
        for (const auto& [first, row] : rows_) {
            const auto factor = row.find(free);
            if (factor != row.end()) {
                fractions[first] = fraction_of(modulo(-factor->second));
                common = common == 0 ? 0 : std::lcm(common, fractions[first].denominator);
            }
        }
        if (common == 0 || common > kWeightMost) {
            continue;
        }
        Vector whole;
        whole.reserve(size);
        for (const Fraction& fraction : fractions) {
            whole.push_back(fraction.numerator * (common / fraction.denominator));
        }
        found.push_back(std::move(whole));
        if (found.size() == kBasisMost) {
            break;
        }
    }
    return found;
}

std::vector<Weights> WeightEquations::solve() const {
    std::vector<Weights> found;
    for (Vector& ray : nowhere_negative(basis())) {
        if (std::any_of(ray.begin(), ray.end(), [](std::int64_t n) { return n > kWeightMost; })) {
            continue;
        }
        Weights& weights = found.emplace_back();
        weights.of_local = std::move(ray);
    }
    return found;
}

}  // namespace lockkeeper::proofs

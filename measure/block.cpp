// SPDX-License-Identifier: Apache-2.0
#include "measure/block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "measure/extrapolation.hpp"
#include "measure/sparse_factors.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

constexpr double kNoProof = std::numeric_limits<double>::infinity();

// b - (I - A) x in row i, from differences: exact where neighbours are almost equal. `size` is what
// the terms sum to without their signs.
template <class Real>
struct RowResidual {
    Real value;
    Real size;
};

template <class Real>
RowResidual<Real> residual_of(const Block& block, const std::vector<Real>& x, Real b,
                              std::size_t i) {
    const Real leaving = static_cast<Real>(block.escape[i]) * x[i];
    RowResidual<Real> row{b - leaving, b + leaving};
    for (std::uint64_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
        const Real term = static_cast<Real>(block.values[k]) * (x[block.columns[k]] - x[i]);
        row.value += term;
        row.size += std::abs(term);
    }
    return row;
}

// A bound of the true residual in row i, with rounding and wrong probabilities.
template <class Real>
Real residual_at_most(const Block& block, const RowResidual<Real>& row, std::size_t i,
                      double probability_error) {
    const auto terms = static_cast<Real>(block.offsets[i + 1] - block.offsets[i] + 6);
    const Real rounding = terms * std::numeric_limits<Real>::epsilon();
    return std::abs(row.value) + (static_cast<Real>(probability_error) + rounding) * row.size;
}

// Proves (I - A) y >= factor * x in every row.
template <class Real>
bool dominates(const Block& block, const std::vector<Real>& y, const std::vector<Real>& x,
               Real factor, double probability_error) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        const RowResidual<Real> row = residual_of(block, y, Real{0}, i);
        const Real off = residual_at_most(block, row, i, probability_error) - std::abs(row.value);
        if (!(y[i] > 0 && -row.value - off >= factor * x[i])) {
            return false;
        }
    }
    return true;
}

// --- direct ------------------------------------------------------------------------------------

class DirectSolver {
  public:
    using Wide = std::vector<long double>;

    DirectSolver(const Block& block, const SolverLimits& limits)
        : block_(block), limits_(limits), size_(block.size()), factors_(block) {}

    BlockSolution solve() {
        BlockSolution solution;
        solution.values.assign(size_, 0);
        solution.error = kNoProof;
        if (!factors_.is_factorised()) {
            return solution;
        }
        Wide x(size_, 0);
        Wide inflow(block_.inflow.begin(), block_.inflow.end());
        for (int round = 0; round < kRefinements; ++round) {
            refine(x, inflow);
        }
        solution.error = error_of(x) + 0x1p-52;
        std::transform(x.begin(), x.end(), solution.values.begin(),
                       [](long double value) { return static_cast<double>(value); });
        return solution;
    }

  private:
    static constexpr int kRefinements = 5;
    // Keeps the right side of every row above zero.
    static constexpr long double kLeast = 0x1p-70L;

    void refine(Wide& x, const Wide& b) {
        std::vector<double> rest(size_);
        for (std::size_t i = 0; i < size_; ++i) {
            rest[i] = static_cast<double>(residual_of(block_, x, b[i], i).value);
        }
        const std::vector<double> step = factors_.solve(rest);
        for (std::size_t i = 0; i < size_; ++i) {
            x[i] += static_cast<long double>(step[i]);
        }
    }

    double error_of(const Wide& x) {
        Wide residual(size_);
        for (std::size_t i = 0; i < size_; ++i) {
            if (!(x[i] > 0)) {
                return kNoProof;
            }
            const auto row = residual_of(block_, x, static_cast<long double>(block_.inflow[i]), i);
            residual[i] =
                residual_at_most(block_, row, i, limits_.probability_error) + x[i] * kLeast;
        }
        Wide twice(size_);
        std::transform(residual.begin(), residual.end(), twice.begin(),
                       [](long double value) { return 2 * value; });
        Wide y(size_, 0);
        refine(y, twice);
        refine(y, twice);
        if (!dominates(block_, y, residual, 1.0L, limits_.probability_error)) {
            return kNoProof;
        }
        long double largest = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            largest = std::max(largest, y[i] / x[i]);
        }
        return static_cast<double>(largest);
    }

    const Block& block_;
    const SolverLimits& limits_;
    std::size_t size_;
    DirectFactors factors_;
};

// --- iterative ---------------------------------------------------------------------------------

class GaussSeidel {
  public:
    GaussSeidel(const Block& block, const SolverLimits& limits)
        : block_(block),
          limits_(limits),
          reciprocal_(block.size()),
          work_max_(
              std::max(limits.work_max, kSweepsAllowed * (block.columns.size() + block.size()))) {
        for (std::size_t i = 0; i < block.size(); ++i) {
            double sum = block.escape[i];
            for (std::uint64_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
                sum += block.values[k];
            }
            reciprocal_[i] = 1 / sum;
        }
    }

    BlockSolution solve() {
        BlockSolution solution;
        std::vector<double>& x = solution.values;
        x.assign(block_.size(), 0);
        solution.error = kNoProof;
        double best = kNoProof;
        double goal = 1e-4;  // of the residual, until it is known how much of it matters
        int stalled = 0;
        int rounds = 0;
        while (stalled < kStallsMax && !is_over()) {
            const double residual = advance(x, block_.inflow);
            if (residual < 0.9 * best) {
                best = residual;
                stalled = 0;
            } else {
                ++stalled;
            }
            if (++rounds % kRoundsAlone == 0 && residual > goal) {
                accelerate(x, block_.inflow, 1e-14);
            }
            if (residual > goal) {
                continue;
            }
            solution.error = error_of(x, residual);
            if (solution.error <= limits_.precision / 2 || !std::isfinite(solution.error)) {
                return solution;
            }
            goal = residual * std::min(0.5, limits_.precision / 4 / solution.error);
        }
        if (!std::isfinite(solution.error) && best < kNoProof) {
            solution.error = error_of(x, relative_residual(x, block_.inflow));
        }
        return solution;
    }

  private:
    static constexpr int kStallsMax = 100;
    static constexpr std::uint64_t kSweepsAllowed = 3000;
    static constexpr int kRoundsAlone = 12;
    static constexpr std::size_t kAcceleratedMax = 2'000'000;

    void accelerate(std::vector<double>& x, const std::vector<double>& b, double tolerance) {
        if (block_.size() > kAcceleratedMax) {
            return;
        }
        if (!accelerator_) {
            accelerator_.emplace(block_);
        }
        accelerator_->improve(x, b, tolerance);
    }

    // A round of sweeps, up and down, and where they lead to if that is better; what is left of the
    // residual.
    double advance(std::vector<double>& x, const std::vector<double>& b) {
        sweep(x, b);  // from zeros, nothing is seen of the other end before
        sweep(x, b);
        extrapolation_.begin(x);
        for (int i = 0; i < Extrapolation::kDepth; ++i) {
            sweep(x, b);
            sweep(x, b);
            extrapolation_.follow(x);
        }
        const double residual = relative_residual(x, b);
        if (std::isfinite(residual) && extrapolation_.guess(guess_)) {
            const double guessed = relative_residual(guess_, b);
            if (guessed < residual) {
                std::swap(x, guess_);
                return guessed;
            }
        }
        return residual;
    }

    [[nodiscard]] bool is_over() const {
        return work_ > work_max_ || interrupt_requested() ||
               std::chrono::steady_clock::now() > limits_.deadline;
    }

    void update(std::vector<double>& x, const std::vector<double>& b, std::size_t i) const {
        double sum = b[i];
        for (std::uint64_t k = block_.offsets[i]; k < block_.offsets[i + 1]; ++k) {
            sum += block_.values[k] * x[block_.columns[k]];
        }
        x[i] = sum * reciprocal_[i];
    }
    void sweep(std::vector<double>& x, const std::vector<double>& b) {
        downwards_ = !downwards_;
        work_ += block_.columns.size() + block_.size();
        const std::size_t size = block_.size();
        for (std::size_t i = 0; i < size; ++i) {
            update(x, b, downwards_ ? size - 1 - i : i);
        }
    }

    [[nodiscard]] double relative_residual(const std::vector<double>& x,
                                           const std::vector<double>& b) const {
        double largest = 0;
        for (std::size_t i = 0; i < block_.size(); ++i) {
            if (!(x[i] > 0)) {
                return kNoProof;
            }
            const RowResidual<double> row = residual_of(block_, x, b[i], i);
            largest = std::max(largest,
                               residual_at_most(block_, row, i, limits_.probability_error) / x[i]);
        }
        return largest;
    }

    // (I - A) y >= x / 2 and |residual| <= r x make |error| <= 2 r y.
    double error_of(const std::vector<double>& x, double residual) {
        std::vector<double>& y = weights_;
        y.resize(block_.size(), 0);
        int rounds = 0;
        while (!dominates(block_, y, x, 0.5, limits_.probability_error)) {
            if (is_over()) {
                return kNoProof;
            }
            if (++rounds % kRoundsAlone == 0) {
                accelerate(y, x, 1e-3);
            }
            advance(y, x);
        }
        double largest = 0;
        for (std::size_t i = 0; i < block_.size(); ++i) {
            largest = std::max(largest, y[i] / x[i]);
        }
        return 2 * residual * largest * (1 + 0x1p-40);
    }

    const Block& block_;
    const SolverLimits& limits_;
    std::vector<double> reciprocal_;
    std::vector<double> weights_;
    Extrapolation extrapolation_;
    std::vector<double> guess_;
    std::optional<Accelerator> accelerator_;
    bool downwards_ = false;
    std::uint64_t work_max_;
    std::uint64_t work_ = 0;  // transitions and states looked at in sweeps
};

}  // namespace

BlockSolution solve_block(const Block& block, const SolverLimits& limits) {
    if (block.size() <= limits.direct_states_max) {
        BlockSolution solution = DirectSolver(block, limits).solve();
        if (std::isfinite(solution.error)) {
            return solution;
        }
    }
    return GaussSeidel(block, limits).solve();
}

}  // namespace lockkeeper

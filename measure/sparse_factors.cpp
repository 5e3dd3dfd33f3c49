// SPDX-License-Identifier: Apache-2.0
#include "measure/sparse_factors.hpp"

#include <algorithm>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseLU>

#include "measure/block.hpp"

namespace lockkeeper {
namespace {

constexpr int kIterationsMax = 300;

using Vector = Eigen::Map<const Eigen::VectorXd>;

Vector seen(const std::vector<double>& values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// I - A.
template <class Matrix>
Matrix matrix_of(const Block& block) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(block.columns.size() + block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
        double sum = block.escape[i];
        for (std::uint64_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
            sum += block.values[k];
            entries.emplace_back(static_cast<int>(i), static_cast<int>(block.columns[k]),
                                 -block.values[k]);
        }
        entries.emplace_back(static_cast<int>(i), static_cast<int>(i), sum);
    }
    const auto size = static_cast<int>(block.size());
    Matrix matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

}  // namespace

struct DirectFactors::Factors {
    using Matrix = Eigen::SparseMatrix<double>;
    explicit Factors(const Block& block) { lu.compute(matrix_of<Matrix>(block)); }
    Eigen::SparseLU<Matrix> lu;
};

DirectFactors::DirectFactors(const Block& block) : factors_(std::make_unique<Factors>(block)) {}
DirectFactors::~DirectFactors() = default;

bool DirectFactors::is_factorised() const { return factors_->lu.info() == Eigen::Success; }

std::vector<double> DirectFactors::solve(const std::vector<double>& b) const {
    const Eigen::VectorXd x = factors_->lu.solve(seen(b));
    return {x.begin(), x.end()};
}

struct Accelerator::Solver {
    using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

    explicit Solver(const Block& block) : matrix(matrix_of<Matrix>(block)) {
        iteration.preconditioner().setDroptol(1e-4);
        iteration.preconditioner().setFillfactor(8);
        iteration.setMaxIterations(kIterationsMax);
        iteration.compute(matrix);
    }

    Matrix matrix;
    Eigen::BiCGSTAB<Matrix, Eigen::IncompleteLUT<double>> iteration;
};

Accelerator::Accelerator(const Block& block) : solver_(std::make_unique<Solver>(block)) {}
Accelerator::~Accelerator() = default;

void Accelerator::improve(std::vector<double>& x, const std::vector<double>& b, double tolerance) {
    auto& iteration = solver_->iteration;
    if (iteration.info() != Eigen::Success) {
        return;
    }
    iteration.setTolerance(tolerance);
    const Eigen::VectorXd found = iteration.solveWithGuess(seen(b), seen(x));
    if (found.allFinite() && found.minCoeff() > 0) {
        std::copy(found.begin(), found.end(), x.begin());
    }
}

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Where an iteration that changes a vector less and less leads to. Used by block.cpp between
// sweeps.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <Eigen/Dense>

namespace lockkeeper {

// Sweeps soon do nothing but shrink the slowest parts of the error, each by its own factor. From
// how the last of them changed x, the mean of them that changes least is where they lead to:
// reduced rank extrapolation (Mesina 1977, Eddy 1979), with changes compared to the values.
class Extrapolation {
  public:
    static constexpr int kDepth = 8;

    void begin(const std::vector<double>& x) {
        last_ = x;
        count_ = 0;
    }
    // At most kDepth times.
    void follow(const std::vector<double>& x) {
        std::vector<double>& change = changes_[count_++];
        change.resize(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            change[i] = x[i] - last_[i];
        }
        last_ = x;
    }
    // From what was followed last; false: the changes do not say. After kDepth changes.
    bool guess(std::vector<double>& out) const {
        const std::optional<Vector> weights = weights_of_changes();
        if (!weights) {
            return false;
        }
        out = last_;
        double earlier = 0;
        for (int i = 1; i < kDepth; ++i) {
            earlier += (*weights)[i - 1];
            const std::vector<double>& change = changes_[static_cast<std::size_t>(i)];
            for (std::size_t k = 0; k < out.size(); ++k) {
                out[k] -= earlier * change[k];
            }
        }
        return true;
    }

  private:
    using Vector = Eigen::Matrix<double, kDepth, 1>;

    // One together.
    [[nodiscard]] std::optional<Vector> weights_of_changes() const {
        Eigen::Matrix<double, kDepth, kDepth> products;
        products.setZero();
        for (std::size_t k = 0; k < last_.size(); ++k) {
            Vector relative;
            for (int i = 0; i < kDepth; ++i) {
                relative[i] = changes_[static_cast<std::size_t>(i)][k] / last_[k];
            }
            products.noalias() += relative * relative.transpose();
        }
        const double size = products(0, 0);
        if (!(size > 0) || !std::isfinite(size)) {
            return std::nullopt;
        }
        products /= size;
        const Vector solved = products.ldlt().solve(Vector::Ones());
        const double sum = solved.sum();
        if (!solved.allFinite() || sum == 0) {
            return std::nullopt;
        }
        return solved / sum;
    }

    std::vector<double> last_;
    std::array<std::vector<double>, kDepth> changes_;
    std::size_t count_ = 0;
};

}  // namespace lockkeeper

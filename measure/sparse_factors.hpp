// SPDX-License-Identifier: Apache-2.0

// Eigen's factorisations of I - A, for block.cpp, which proves what they give. They stand apart
// because the compiler takes longer for them than for the rest of measure/ together.
#pragma once

#include <memory>
#include <vector>

namespace lockkeeper {

struct Block;

// A sparse LU factorisation.
class DirectFactors {
  public:
    explicit DirectFactors(const Block& block);
    ~DirectFactors();
    DirectFactors(const DirectFactors&) = delete;
    DirectFactors& operator=(const DirectFactors&) = delete;

    [[nodiscard]] bool is_factorised() const;
    // x with (I - A) x = b, as far as rounding lets it; only where is_factorised().
    [[nodiscard]] std::vector<double> solve(const std::vector<double>& b) const;

  private:
    struct Factors;
    std::unique_ptr<Factors> factors_;
};

// Conjugate gradients (BiCGSTAB, with an incomplete LU factorisation), for components that are left
// seldom: they find that direction after a few steps, and sweeps alone would need a lifetime. They
// may fail, and then nothing is lost; sweeps smooth what they give, and it is proved like the rest.
class Accelerator {
  public:
    explicit Accelerator(const Block& block);
    ~Accelerator();
    Accelerator(const Accelerator&) = delete;
    Accelerator& operator=(const Accelerator&) = delete;

    // From x on; unchanged when what comes out is not positive.
    void improve(std::vector<double>& x, const std::vector<double>& b, double tolerance);

  private:
    struct Solver;
    std::unique_ptr<Solver> solver_;
};

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// One strongly connected component of a linear system x = b + A x, with the bound of its error.
// Called by solution.cpp for each component of more than one state.
//
// A holds probabilities that stay in the component, b what leaving (and collecting on the way)
// brings; `escape` is the probability of leaving. Rows of A and escape sum to one together, so the
// diagonal of I - A is what the others sum to: nothing is subtracted, however rare escape is.
//
// Up to kDirectStatesMax states: a sparse LU factorisation (Eigen) with refinement in extended
// precision. Above: Gauss-Seidel, in both directions by turns, with extrapolation, and up to two
// million states BiCGSTAB with an incomplete LU factorisation (Eigen) where the sweeps are slow.
// Either is followed by a proof: I - A is an M-matrix, so a vector y with (I - A) y >= |residual|
// bounds the error in each state.
//
// `error` is the largest relative error of any state of the component that rounding, the given
// error of the probabilities and an unfinished iteration can have made: what the proof gives, not
// an estimate. Infinite when there is no proof (a component left too rarely, an interrupt, no
// time).
#pragma once

#include <chrono>
#include <vector>

#include "measure/chain.hpp"

namespace lockkeeper {

struct Block {
    std::vector<std::uint64_t> offsets{0};  // by row
    std::vector<StateIndex> columns;        // never the row itself
    std::vector<double> values;
    std::vector<double> escape;
    std::vector<double> inflow;  // b; not negative, some positive

    [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
};

struct SolverLimits {
    double precision = 1e-9;  // relative; iterations go on until it is proved
    double probability_error = 0x1p-52;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::size_t direct_states_max = 20'000;
    // Transitions looked at in the sweeps of one component; 3000 sweeps are always allowed.
    std::uint64_t work_max = 2'000'000'000;
};

struct BlockSolution {
    std::vector<double> values;
    double error = 0;
};

[[nodiscard]] BlockSolution solve_block(const Block& block, const SolverLimits& limits);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// Litmus tests: the outcomes that each model allows, by the names that the literature gives them.
//   [B]   Batty, Owens, Sarkar, Sewell, Weber: Mathematizing C++ concurrency, POPL 2011
//   [R]   Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency in C/C++11, PLDI
//   2017 [M]   Maranget, Sarkar, Sewell: A tutorial introduction to the ARM and POWER relaxed
//   memory
//         models, 2012
//   [A]   Alglave, Maranget, Tautschnig: Herding cats, TOPLAS 2014
//   [S]   ISO C++20, [atomics.order], [intro.races], [atomics.fences]
// An outcome is what the threads read, thread by thread, and the last store of each location.
#pragma once

#include <span>

#include "validate/threads/graph/small_program_test.hpp"

namespace lockkeeper::threads {

struct Litmus {
    const char* name;
    SmallProgram program;
    const char* outcome;  // what the threads read: "0;0;"
    bool in_sc;
    bool in_c11;
    const char* source;
};

[[nodiscard]] std::span<const Litmus> litmus_tests();

}  // namespace lockkeeper::threads

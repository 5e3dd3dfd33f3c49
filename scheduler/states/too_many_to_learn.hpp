// SPDX-License-Identifier: Apache-2.0

// Thrown where the steps of a System (learned_steps.hpp) are so many that learning them does not
// pay. A header of its own: walkers that take every step compile without the learning.
#pragma once

namespace lockkeeper {

struct TooManyToLearn {};

}  // namespace lockkeeper

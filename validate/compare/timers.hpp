// SPDX-License-Identifier: Apache-2.0

// Behaviour of a reference that whole calls cannot show: a clock of its own, and a background that
// decides the answers to calls though nobody has died (a timer that takes a lock away). Used by
// make_reference.cpp, to choose how the two are compared.
//
// Random walks find it, as far as they go: kWalks walks of at most kStepsMax steps. Where nobody is
// inside of a call, and the background has something to do, each caller's next call is made with
// the background before it and without.
#pragma once

#include "model/erased_system.hpp"

namespace lockkeeper::against {

struct Timers {
    bool has_time = false;    // virtual time goes on in its runs
    bool acts_alone = false;  // its background decides what calls of the living are answered
};

[[nodiscard]] Timers timers_of(const ErasedSystem& system);

}  // namespace lockkeeper::against

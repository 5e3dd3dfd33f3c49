// A short look at a program before scenarios are chosen for it: one caller acquires, renews and
// releases, undisturbed; then one holds and another asks, where there are two places. Used by app/
// where nobody has named a scenario.
#pragma once

#include "outside/program.hpp"

namespace lockkeeper {

struct Scouted {
    std::int64_t lease_time = 0;  // 0: a grant has no end
    bool renews = true;           // it knows the word "renew"
    bool has_one_place = false;   // who asks while another holds is refused, or waits, or spins
};

// Whatever else goes wrong is left to the search that follows.
[[nodiscard]] Scouted scout(ProgramOptions options, const ChildProcess::StopRule& stop);

}  // namespace lockkeeper

// The runner of a System whose type is erased: what a registered lock costs the compiler is its
// World alone.
#pragma once

#include <memory>

#include "model/erased_system.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper {

[[nodiscard]] std::unique_ptr<Runner> make_erased_runner(ErasedSystem system,
                                                         const WorldConfig& world,
                                                         std::uint32_t features);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// A run of this project's own as a recorded history, so that what judges others judges us too.
// Called with the events of a replayed schedule, in their order.
//
// `time` is the step of the schedule. A caller's death is an `exit` that stays open: what it held
// is given back at some later time. A call that ends with an error is `info`: what it was to do may
// have happened. Other calls than acquire and release are left out, and so is what a caller loses
// without having been asked: leases are no matter for this.
#pragma once

#include <vector>

#include "model/event.hpp"
#include "model/world_config.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

[[nodiscard]] RecordedHistory history_of_run(const WorldConfig& world,
                                             const std::vector<Event>& events);

}  // namespace lockkeeper

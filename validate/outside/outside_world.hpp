// SPDX-License-Identifier: Apache-2.0

// What is asked of an outside program: made by app/ from a scenario, read by every level.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/crash_takes.hpp"
#include "model/property.hpp"
#include "model/rate_limit.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

struct OutsideWorld {
    WorldConfig world;
    std::map<std::string, std::int32_t> parameters;
    std::int64_t ticks_max = 0;
    std::vector<const Property*> check;
    // By its name, of --check or of a scenario for programs or clients: what is not decided once of
    // these makes a pass none. `asked_elsewhere`: not judged at this door, in words.
    std::vector<const Property*> asked = {};
    std::string asked_elsewhere = {};
    // Its holder is granted it again and it stays one place; nothing: nobody says.
    std::optional<bool> reentrant = {};
    std::optional<CrashTakes> crash_takes = {};  // nothing: as the program says
    // A limiter of this rate, in the run's unit of time, and no lock: its grants are not held.
    RateLimit rate_limit = {};
    std::int64_t rate_grain = 0;  // what its clocks leave open: see RateWindows
    std::int64_t tick_width = 1;  // a tick of the scenario, in the program's unit of time
    // As the models do, which --against compares with: a lock whose time is over is not released,
    // and the look at the end does not wait for time limits.
    bool gives_up_at_end = false;

    // The property of this number, if it is to be judged.
    [[nodiscard]] const Property* checked(PropertyNumber number) const {
        const auto found = std::find_if(check.begin(), check.end(), [&](const Property* property) {
            return property->is(number);
        });
        return found == check.end() ? nullptr : *found;
    }
};

}  // namespace lockkeeper

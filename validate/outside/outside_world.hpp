// SPDX-License-Identifier: Apache-2.0

// The world that an outside program is judged in. app/ makes it from a scenario.
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
    // The properties that --check or a scenario for programs or clients names: one that is never
    // decided prevents a pass. `asked_elsewhere`: those that are not judged here, in words.
    std::vector<const Property*> asked = {};
    std::string asked_elsewhere = {};
    // A holder may be granted the lock again, and still has one place; nothing: nobody says.
    std::optional<bool> reentrant = {};
    std::optional<CrashTakes> crash_takes = {};  // nothing: as the program says
    // For a limiter: its rate, in the run's unit of time. Nobody holds the grants of a limiter.
    RateLimit rate_limit = {};
    std::int64_t rate_grain = 0;     // the grain of its clocks: see RateWindows
    std::uint32_t cancels_max = 0;   // tasks: calls that are cancelled
    std::uint32_t failures_max = 0;  // tasks: what comes from outside fails
    std::int64_t tick_width = 1;     // a tick of the scenario, in the program's unit of time
    // For --against, to do as its models do: nobody releases a lock whose time is over, and the
    // look at the end does not wait for time limits.
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

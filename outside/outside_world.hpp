// What is asked of an outside program: made by app/ from a scenario, read by every level.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/property.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

struct OutsideWorld {
    WorldConfig world;
    std::map<std::string, std::int32_t> parameters;
    std::int64_t ticks_max = 0;
    std::vector<const Property*> check;
};

}  // namespace lockkeeper

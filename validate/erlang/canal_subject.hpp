// What is driven on both sides: the model of a scenario of the canal lock, and what the original
// has to know of the scenario. Made by app/compared_server.cpp and by tests.
#pragma once

#include <cstdint>
#include <optional>

#include "model/erased_system.hpp"
#include "model/world_config.hpp"

namespace lockkeeper::erlang {

struct CanalSubject {
    ErasedSystem system;
    WorldConfig world;
    std::uint16_t manager_max_per = 1;
    std::optional<std::uint8_t> max_decr_tries = 15;  // nothing: never forced
    bool has_manager = true;
    bool returns_count = true;
};

}  // namespace lockkeeper::erlang

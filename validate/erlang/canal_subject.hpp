// What is driven on both sides: the model of a scenario of the canal lock, and what the original
// has to know of the scenario.
#pragma once

#include <variant>

#include "validate/servers/compared_server.hpp"

namespace lockkeeper::erlang {

struct CanalSubject {
    ErasedSystem system;
    WorldConfig world;
    ScenarioParameters parameters;
};

// `runner`: made of what was understood.
[[nodiscard]] std::variant<CanalSubject, databases::NotExpressible> canal_subject(
    const Understood& understood, const Runner& runner);

}  // namespace lockkeeper::erlang

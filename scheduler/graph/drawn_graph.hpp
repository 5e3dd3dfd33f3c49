// SPDX-License-Identifier: Apache-2.0

// A small graph of states with words for each state and each step: for pictures. draw_graph.hpp
// makes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/action.hpp"
#include "model/property.hpp"

namespace lockkeeper {

struct DrawnState {
    std::string text;  // as a report shows it
    bool is_at_rest = false;
    bool is_end = false;                    // everybody has finished
    bool is_deadlock = false;               // nobody can go on, and somebody is unfinished
    std::vector<const Property*> violates;  // properties at rest
    std::uint64_t fingerprint = 0;          // see draw_graph.hpp
};

struct DrawnTransition {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::string text;                       // "A acquire: update_counter db[1]"
    std::vector<const Property*> violates;  // properties of steps
    Action action = {};                     // of the state that is drawn; see `symmetry`
};

struct DrawnGraph {
    std::vector<DrawnState> states;  // breadth first; the first one is the initial state
    std::vector<DrawnTransition> transitions;
    // Steps that lead to states which are not drawn: there were too many.
    std::uint64_t transitions_left_out = 0;
};

}  // namespace lockkeeper

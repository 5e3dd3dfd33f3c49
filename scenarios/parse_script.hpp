// One caller's script: from JSON to the operations written out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/world_config.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {

// One element of a script, checked for itself; what it repeats is not written out yet.
struct ScriptNode {
    Place place;
    std::uint32_t times = 1;
    std::vector<ScriptNode> body;  // of a repeat; empty: `operation` is to be used
    Operation operation;
    // A release may leave out what its acquire said.
    bool has_max_per = true;
    bool has_buckets = true;
};

// The index of the key, which is added when it is new. Refused when there are too many.
[[nodiscard]] std::uint8_t key_index(std::vector<std::string>& keys, const Place& name);

// Reads a list of operations. `keys` grows in order of first use.
[[nodiscard]] std::vector<ScriptNode> parse_script(const Place& script,
                                                   std::vector<std::string>& keys);

// Writes out `times` repetitions of the script. The size is known and bounded before. Fills in
// what releases leave out, and refuses what only the whole script shows: a release of a key that
// was not acquired, fixed and current numbers of buckets of one key, operations after an exit.
[[nodiscard]] std::vector<Operation> expand_script(const std::vector<ScriptNode>& script,
                                                   const Place& place, std::uint32_t times);

}  // namespace lockkeeper

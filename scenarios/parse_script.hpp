// SPDX-License-Identifier: Apache-2.0

// One caller's script: from JSON to the operations written out.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/world_config.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {

// One element of a script, checked for itself; what it repeats is not written out yet.
struct ScriptNode {
    Place place;
    std::uint32_t times = 1;
    std::vector<ScriptNode> body;  // of a repeat or an if_holding; empty: `operation` is all
    Operation operation;
    // A release may leave out what its acquire said.
    bool has_max_per = false;
    bool has_buckets = false;
};

// A signal, as far as the scripts that have been read speak of it.
struct SignalUse {
    std::string name;
    Place first;
    bool signalled = false;
    bool waited_for = false;
};

// A key that an if_holding asks about.
struct HoldingUse {
    std::uint8_t key = 0;
    Place first;
};

// A call, by its word.
struct WordUse {
    std::string name;
    Place first;
};

// The things that scripts name, in order of first use.
struct ScriptNames {
    std::vector<std::string> keys;
    std::vector<HoldingUse> holdings;  // each key once
    std::vector<SignalUse> signals;
    std::vector<WordUse> words;
    std::map<std::string, Place> numbers;  // ScenarioSource::numbers
    std::optional<Place> sleep;            // the first one
    std::optional<Place> places;           // the first number of places but 1, or "current"
};

// Reads a list of operations. `names` grows. `conditions`: how many if_holding it stands in.
[[nodiscard]] std::vector<ScriptNode> parse_script(const Place& script, ScriptNames& names,
                                                   std::size_t conditions = 0);

// Refuses a signal that nobody in all scripts together gives, or nobody waits for.
void refuse_lonely_signals(const std::vector<SignalUse>& signals);

// Writes out `times` repetitions of the script. The size is known and bounded before. Fills in
// what releases leave out, and refuses what only the whole script shows: a release of a key that
// was not acquired, fixed and current numbers of buckets of one key, operations after an exit.
[[nodiscard]] std::vector<Operation> expand_script(const std::vector<ScriptNode>& script,
                                                   const Place& place, std::uint32_t times);

// The inverse of parse_script: operations to the short form that a person would write.

// Everything but the names and the groups is the same.
[[nodiscard]] bool behave_alike(const CallerConfig& left, const CallerConfig& right);

// A list of operations, with "repeat" and "times" where parts stand several times in a row.
[[nodiscard]] nlohmann::ordered_json written_script(std::span<const Operation> operations,
                                                    const WorldConfig& world);

// {"script": [...], "repeat": ...} of one entry of "callers".
void write_script(const CallerConfig& caller, const WorldConfig& world,
                  nlohmann::ordered_json& entry);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The surroundings of the implementation in one scenario: its callers, and the faults allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/named_numbers.hpp"
#include "model/operation.hpp"

namespace lockkeeper {

struct CallerConfig {
    std::string name;
    std::vector<Operation> script;  // repetitions written out
    bool repeats_forever = false;
    bool may_crash = true;
    // Callers of one group run the same script and are interchangeable. Groups are contiguous.
    std::uint8_t group = 0;
    // The system's settings of each caller: its clock's offset, its time-out ...
    NamedNumbers settings;
};

struct WorldConfig {
    std::vector<std::string> keys;
    std::vector<std::string> signals;
    std::vector<std::string> words;  // of the calls in the scripts, by Operation::word
    std::vector<CallerConfig> callers;
    // The places that `follows_resizes` operations see: before any resize, after the first ...
    std::vector<std::uint16_t> views{1};
    std::uint8_t crashes_max = 0;
    // How often a dead caller starts again, as a fresh process, where the lock allows for it.
    std::uint8_t restarts_max = 0;
    // With fewer callers than this, a compiled size is chosen that has room for this many.
    std::size_t room_for_callers = 0;
    // Carry along what others hold during each call (for properties with
    // Monitor::kOthersDuringCall).
    bool watches_others = false;

    [[nodiscard]] std::size_t resizes_max() const { return views.size() - 1; }
};

// Returns the word that scripts use: "acquire", or the word of a call.
[[nodiscard]] inline std::string word_of(const WorldConfig& world, const Operation& operation) {
    return operation.verb == Verb::kCall && operation.word < world.words.size()
               ? world.words[operation.word]
               : std::string(name_of(operation.verb));
}

}  // namespace lockkeeper

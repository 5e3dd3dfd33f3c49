// The table of flags that take a value and can also be given by an environment variable. One row
// says everything about a setting, so that flag and variable accept the same and fail alike.
// Used by parse_options only.
#pragma once

#include <span>
#include <string>

#include "app/flag_words.hpp"
#include "app/options.hpp"

namespace lockkeeper {

// Sets of verbs.
enum CommandSet : unsigned {
    kForRun = 1U << static_cast<unsigned>(Command::kRun),
    kForReplay = 1U << static_cast<unsigned>(Command::kReplay),
    kForExplore = 1U << static_cast<unsigned>(Command::kExplore),
    kForFuzz = 1U << static_cast<unsigned>(Command::kFuzz),
    kForMeasure = 1U << static_cast<unsigned>(Command::kMeasure),
    kForSweep = 1U << static_cast<unsigned>(Command::kSweep),
    kForValidate = 1U << static_cast<unsigned>(Command::kValidate),
    kForReport = 1U << static_cast<unsigned>(Command::kReport),
    kForList = 1U << static_cast<unsigned>(Command::kList),
    kForAll = kForRun | kForReplay | kForExplore | kForFuzz | kForMeasure | kForSweep |
              kForValidate | kForReport | kForList,
    kForSearches = kForRun | kForExplore | kForFuzz,
    kForScenarios = kForSearches | kForReplay,
};

struct Setting {
    const char* flag;      // "--seed"
    const char* variable;  // "LOCKKEEPER_SEED"; null: only a flag
    const char* value;     // "N", for help; null: a switch
    unsigned commands;     // a CommandSet
    const char* help;
    const char* expected;  // for the message about a bad value; null: one of the words
    // False: the value is none. A switch gets "on".
    bool (*set)(Options& options, const std::string& value);
    bool may_repeat = false;  // the flag may stand there several times
    Words words = {};         // that it takes, beside others where `expected` says so
};

[[nodiscard]] std::span<const Setting> settings();

}  // namespace lockkeeper

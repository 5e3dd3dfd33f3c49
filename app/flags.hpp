// SPDX-License-Identifier: Apache-2.0

// The table of flags, which is the one place that knows them: it reads the command line and the
// environment (parse_options.cpp), help is printed from it, and pages are checked against it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/flag_values.hpp"
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
    kForServe = 1U << static_cast<unsigned>(Command::kServe),
    kForProve = 1U << static_cast<unsigned>(Command::kProve),
    kForCertificates = 1U << static_cast<unsigned>(Command::kCheckCertificate),
    kForThreads = 1U << static_cast<unsigned>(Command::kThreads),
    kForExplain = 1U << static_cast<unsigned>(Command::kExplain),
    kForClinic = 1U << static_cast<unsigned>(Command::kClinic),
    kForPlayground = 1U << static_cast<unsigned>(Command::kPlayground),
    // Verbs that have results.
    kForAll = kForRun | kForReplay | kForExplore | kForFuzz | kForMeasure | kForSweep |
              kForValidate | kForReport | kForList | kForProve | kForCertificates,
    kForSearches = kForRun | kForExplore | kForFuzz,
    kForScenarios = kForSearches | kForReplay,
};
[[nodiscard]] constexpr bool has(unsigned commands, Command command) {
    return (commands & (1U << static_cast<unsigned>(command))) != 0;
}

// How a flag may be given beside once on the command line.
enum class Given : std::uint8_t {
    kOnce,
    kOrByVariable,  // in the environment: --max-steps is LOCKKEEPER_MAX_STEPS
    kOften,         // several times
};

// The value where neither the command line, nor the environment, nor the scenario gives one: in
// words, from the constants that the verbs read.
struct FlagDefault {
    unsigned commands;  // a CommandSet
    std::string text;   // "10,000"
};

struct Flag {
    Flag(std::string its_name, unsigned its_commands, FlagValue its_value, std::string its_help,
         Given may_be_given = Given::kOnce, std::string its_letter = "")
        : name(std::move(its_name)),
          letter(std::move(its_letter)),
          commands(its_commands),
          value(std::move(its_value)),
          help(std::move(its_help)),
          given(may_be_given) {}

    // With these verbs.
    Flag& by_default(unsigned with, std::string text) {
        defaults.push_back({with, std::move(text)});
        return *this;
    }

    std::string name;    // "--quiet"
    std::string letter;  // "-q"; empty: it has none
    unsigned commands;   // a CommandSet
    FlagValue value;
    std::string help;  // a sentence without its full stop
    Given given;
    std::vector<FlagDefault> defaults;  // none: it has none, or help says it in its own words
};

// The rows, by what they are about. flag_rows_of_verbs.cpp: of what a single verb does.
[[nodiscard]] std::vector<Flag> flags_of_histories();
[[nodiscard]] std::vector<Flag> flags_of_programs();
[[nodiscard]] std::vector<Flag> flags_of_threads();
[[nodiscard]] std::vector<Flag> flags_of_explaining();
[[nodiscard]] std::vector<Flag> flags_of_clinic();
[[nodiscard]] std::vector<Flag> flags_of_wire();
[[nodiscard]] std::vector<Flag> flags_of_measuring();
[[nodiscard]] std::vector<Flag> flags_of_sweeps();
[[nodiscard]] std::vector<Flag> flags_of_exploring();
[[nodiscard]] std::vector<Flag> flags_of_runs();
// flags.cpp: of most verbs.
[[nodiscard]] std::vector<Flag> flags_of_limits();
[[nodiscard]] std::vector<Flag> flags_of_questions();
[[nodiscard]] std::vector<Flag> flags_of_outputs();

// All of them, in the order of the help. A name may stand there twice, for different verbs.
[[nodiscard]] const std::vector<Flag>& flags();
// Null: the verb has no such flag.
[[nodiscard]] const Flag* find_flag(std::string_view name, Command command);

// "LOCKKEEPER_SEED"; empty: it has none.
[[nodiscard]] std::string variable_of(const Flag& flag);
// Empty: it has none with this verb.
[[nodiscard]] std::string default_of(const Flag& flag, Command command);
// The sentence, the variable and the default.
[[nodiscard]] std::string help_of(const Flag& flag, Command command);

// Sets what the flag says. UsageError, which names the flag or the variable: `name`.
void set_flag(const Flag& flag, const std::string& name, const std::string& value,
              Options& options);

}  // namespace lockkeeper

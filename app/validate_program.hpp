// A scenario made ready to be put to a --program. Used by validate_program.cpp, validate_levels.cpp
// and validate_against.cpp only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session.hpp"
#include "validate/programs/program.hpp"
#include "validate/programs/program_scenario.hpp"

namespace lockkeeper {

struct ProgramJob : ProgramScenario {
    ProgramOptions program;
    // Stepped: this one run, by --replay-choices or of a trace file, whose labels are compared.
    std::optional<Schedule> replayed;
    std::vector<std::string> labels;
    RunReport report;  // begun; the levels fill in the rest
};

// Throws BadInput.
[[nodiscard]] ProgramJob make_program_job(const Session& session, Scenario scenario);
// The command that runs this one schedule (lk1:...) again.
[[nodiscard]] std::string replay_command(const Session& session, const ProgramJob& job,
                                         const std::string& schedule);

// The two levels: both print the text report. Throw Misbehaved where the command cannot be started,
// or does not know an operation of the scenario.
void validate_stepped(const Session& session, ProgramJob& job);
void validate_black_box(const Session& session, ProgramJob& job);

}  // namespace lockkeeper

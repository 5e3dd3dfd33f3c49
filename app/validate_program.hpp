// What the parts of `validate --program` share: a scenario made ready to be put to a program, and
// the two levels. Used by validate_program.cpp, validate_stepped.cpp, validate_black_box.cpp only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session.hpp"
#include "validate/programs/program.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

struct ProgramJob {
    std::string command;
    OutsideWorld world;
    std::vector<const Property*> reach;  // goals that can be seen from outside
    ProgramOptions program;
    Scenario scenario;  // with the numbers that were put to it: what a trace is written with
    ScenarioLimits limits;
    std::uint64_t seed = 1;
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

// Both print the text report. Throw Misbehaved where the command cannot be started, or does not
// know an operation of the scenario.
void validate_stepped(const Session& session, ProgramJob& job);
void validate_black_box(const Session& session, ProgramJob& job);

// What happened, whatever the verdict: into the report of the job.
void note_what_happened(ProgramJob& job, const PassedOverCounts& passed_over, std::uint32_t events);
[[nodiscard]] std::string passed_over_text(const RunReport& report);

// Of what a program wrote on stderr: the last line, quoted; and all that was kept, indented.
[[nodiscard]] std::string last_line(const std::string& text);
[[nodiscard]] std::string last_words_text(const std::string& text);

}  // namespace lockkeeper

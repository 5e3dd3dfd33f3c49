// A scenario made ready to run: the command line laid over the file, the system built, the
// properties and goals looked up. Made once per file by every verb.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct Job {
    std::string file;  // as named on the command line; for a trace file, that
    // For lines to be pasted: what the executable is called, and " --set grace=3" as it was given.
    std::string program;
    std::string set_flags;
    Scenario scenario;  // seed, strategy and checks are those of the command line, if it has any
    Understood understood;  // the same as its system understands it
    std::unique_ptr<Runner> runner;
    std::vector<const Property*> check;
    std::vector<const Property*> reach;
};

// Lays --check over the scenario. UsageError for a name that is none.
void take_checks(const Options& options, Scenario& scenario);

// Throws BadInput; for what only --check or --set make wrong UsageError, which names the flag.
[[nodiscard]] Job prepare(const Session& session, Scenario scenario);

// Callers, views and faults of the scope, with the parameters that were derived or set.
[[nodiscard]] std::string scope_of(const RegisteredSystem& system, const Scenario& scenario,
                                   const WorldConfig& world);
[[nodiscard]] std::string scope_of(const Job& job);

// The report with everything that is known before the run.
[[nodiscard]] RunReport begin_report(const Session& session, const Job& job,
                                     const std::string& strategy);

}  // namespace lockkeeper

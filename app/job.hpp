// A scenario made ready to run: the command line laid over the file, the system built, the
// properties and goals looked up. Made once per file by every verb.
#pragma once

#include <string>
#include <vector>

#include "app/session.hpp"
#include "reports/make_report.hpp"
#include "reports/scope.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/overlay.hpp"

namespace lockkeeper {

// Lays --check over the scenario. UsageError for a name that is none.
void take_checks(const Options& options, Scenario& scenario);

// A limit: the flag before the scenario file.
void take_limits(const Options& options, ScenarioLimits& limits);

// Throws BadInput; for what only --check or --set make wrong UsageError, which names the flag.
[[nodiscard]] Job prepare(const Session& session, Scenario scenario);

// The report with everything that is known before the run.
[[nodiscard]] RunReport begin_report(const Session& session, const Job& job,
                                     const std::string& strategy);

}  // namespace lockkeeper

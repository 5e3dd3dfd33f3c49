// SPDX-License-Identifier: Apache-2.0

// The reports of `validate --against` and `validate --server`: two sides compared, and the
// difference that is shown.
#pragma once

#include <string>
#include <vector>

#include "scenarios/registry/overlay.hpp"
#include "validate/compare/compare.hpp"
#include "validate/compare/make_reference.hpp"
#include "validate/servers/compared_server.hpp"
#include "work/program_job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The other side of a scenario's comparison. The limits are those of the overlay.
struct ComparedWith {
    const Registry& registry;
    const RegisteredSystem& reference;
    const Overlay& overlay;
};

// The way in which the scenario's own system is compared; the scenario gets what goes with it.
[[nodiscard]] against::Way way_of_model(const ComparedWith& with, Scenario& scenario);

// Both compare with the report's seed, and fill the report: with the difference that is shown, the
// run and the command that repeats it. The job is that of the scenario. UsageError: faults that
// were laid over it are those of another system.
void compare_model(const ComparedWith& with, const against::Way& way, const Job& job,
                   RunReport& report);
void compare_program(const ComparedWith& with, const ProgramJob& job, Scenario scenario,
                     RunReport& report);

// The same of a model and a server. What cannot be put to the server is in the report.
// The limits are the server's own, with those of the overlay.
void compare_with_server(const Job& job, databases::ComparedServer& server, const Overlay& overlay,
                         RunReport& report);

}  // namespace lockkeeper

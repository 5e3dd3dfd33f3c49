// What a program came to, as the report of a run. The verdict is given by whoever calls.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/program_scenario.hpp"
#include "validate/programs/stepped_verdict.hpp"

namespace lockkeeper {

// What is known before the first run, but for the command and the strategy.
[[nodiscard]] RunReport program_report(const ProgramScenario& scenario);

// What happened, whatever the verdict. `reach`: goals that can be seen from outside.
void take_result(const SteppedResult& result, const std::vector<const Property*>& reach,
                 RunReport& report);
void take_result(const BlackBoxResult& result, const std::vector<const Property*>& reach,
                 RunReport& report);

// What breaks a property is a finding.
void take_run(const SteppedVerdict& judged, const WorldConfig& world,
              const std::string& replay_command, RunReport& report);

}  // namespace lockkeeper

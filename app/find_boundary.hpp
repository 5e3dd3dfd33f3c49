// The smallest or largest value of a parameter with which a scenario passes: binary search, each
// probe a complete exploration. On one side of the answer stands a complete enumeration, on the
// other a counterexample. Assumes that a value between a passing and a violated one is on one of
// two sides of a single boundary; the values that were tried are all in the report. Values that the
// scenario refuses (a grace as long as the lease) are passed over, and named.
#pragma once

#include "app/execute.hpp"

namespace lockkeeper {

// `job` is the scenario as it stands. Fills the report as FoundBoundary says: passed with the
// answer, violated when no value in the range passes, inconclusive when a limit ended a probe.
// BadInput, UsageError: the system has no such parameter, or takes none of the values.
void execute_find(const Session& session, const Job& job, const BoundarySearch& find,
                  RunReport& report);

}  // namespace lockkeeper

// `--find-smallest`, `--find-largest` and a file's "find": each probe is an exploration as the
// flags say (scenarios/registry/find_boundary.hpp). The values that were tried are all in the
// report, and so are those that the scenario refuses.
#pragma once

#include "app/execute.hpp"

namespace lockkeeper {

// `job` is the scenario as it stands. Fills the report as FoundBoundary says: passed with the
// answer, violated when no value in the range passes, inconclusive when a limit ended a probe.
// BadInput, UsageError: the system has no such parameter, or takes none of the values.
void execute_find(const Session& session, const Job& job, const BoundarySearch& find,
                  RunReport& report);

}  // namespace lockkeeper

// The verbs: each runs its files, prints its results and returns the exit code. Called by
// run_lockkeeper, which handles what they throw (UsageError; everything else stays inside).
#pragma once

#include "app/job.hpp"

namespace lockkeeper {

int verb_run(const Session& session);
int verb_replay(const Session& session);
int verb_explore(const Session& session);
int verb_fuzz(const Session& session);
int verb_measure(const Session& session);
int verb_sweep(const Session& session);
int verb_validate(const Session& session);
int verb_report(const Session& session);
int verb_list(const Session& session);

}  // namespace lockkeeper

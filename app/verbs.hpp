// SPDX-License-Identifier: Apache-2.0

// The verbs: what each is called and takes, and the function that runs its files, prints its
// results and returns the exit code. run_lockkeeper calls it, and handles what it throws
// (UsageError; everything else stays inside).
#pragma once

#include <initializer_list>
#include <span>

#include "app/session.hpp"

namespace lockkeeper {

struct VerbRow {
    Command command;
    int (*run)(const Session& session);
    const char* about;
    const char* takes;  // beside flags: "FILE|DIR"
    const char* takes_about;
    bool needs_files;
    std::initializer_list<const char*> examples;  // what stands behind the program's name
};
// In the order of Command.
[[nodiscard]] std::span<const VerbRow> verbs();

int verb_run(const Session& session);
int verb_replay(const Session& session);
int verb_explore(const Session& session);
int verb_fuzz(const Session& session);
int verb_measure(const Session& session);
int verb_sweep(const Session& session);
int verb_validate(const Session& session);
int verb_report(const Session& session);
int verb_list(const Session& session);
int verb_serve(const Session& session);
int verb_prove(const Session& session);
int verb_check_certificate(const Session& session);
int verb_threads(const Session& session);
int verb_explain(const Session& session);
int verb_clinic(const Session& session);
int verb_playground(const Session& session);

}  // namespace lockkeeper

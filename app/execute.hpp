// Running a job one way or another and filling its report: verdict, numbers, findings, goals, exit
// code. Used by the verbs; `run` uses all of them. Errors are exceptions, see session.hpp.
#pragma once

#include "app/job.hpp"

namespace lockkeeper {

struct Explaining {
    bool shrink = true;  // else findings are shown as they were found, without causes
    bool write = true;   // trace files, where --out says where
};

struct ExploreChoice {
    bool stop_at_first = true;
    Counting counting = Counting::kAuto;
    Explaining explaining;
};
void execute_explore(const Session& session, const Job& job, const ExploreChoice& choice,
                     RunReport& report);

struct FuzzChoice {
    bool stop_at_first = true;
    bool uses_corpus = false;  // the traces of this scenario that are in --out
    Explaining explaining;
};
void execute_fuzz(const Session& session, const Job& job, const FuzzChoice& choice,
                  RunReport& report);

// Judges one run that has been replayed; `schedule` is what was asked for.
void judge_trace(const Job& job, Trace trace, OnDivergence on_divergence, RunReport& report);

// The scenario's own order or schedule.
[[nodiscard]] Trace run_as_written(const Job& job, const ReplayOptions& options);

// "breadth-first", "depth-first" for explorations, the strategy's name for fuzzing.
[[nodiscard]] std::string explore_strategy(const Options& options);
[[nodiscard]] std::string fuzz_strategy(const Job& job);

}  // namespace lockkeeper

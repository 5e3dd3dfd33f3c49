// Running a job one way or another and filling its report: verdict, numbers, findings, goals, exit
// code. Used by the verbs; `run` uses all of them. Errors are exceptions, see session.hpp.
#pragma once

#include "app/job.hpp"

namespace lockkeeper {

struct Explaining {
    bool shrink = true;  // else findings are shown as they were found, without causes
    bool write = true;   // trace files, where --out says where
    ShrinkLimits limits{};

    [[nodiscard]] Explaining within(const ShrinkLimits& some) const {
        return {shrink, write, some};
    }
};

struct ExploreChoice {
    bool stop_at_first = true;
    bool tells_causes = false;  // one violation of each property and cause
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

// One given run: of the schedule, or (null) the scenario's own order or schedule.
void execute_one_run(const Job& job, const Schedule* schedule, const ReplayOptions& options,
                     RunReport& report);

// "breadth-first", "depth-first" for explorations, the strategy's name for fuzzing.
[[nodiscard]] std::string explore_strategy(const Options& options);
[[nodiscard]] std::string fuzz_strategy(const Job& job);

}  // namespace lockkeeper

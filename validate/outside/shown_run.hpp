// SPDX-License-Identifier: Apache-2.0

// What reports draw of a run of outside code beside its words, as they do of a model's: operations
// with their calls and returns, who believes to hold what, capacity, where two hold what excludes
// each other. Told by the ledger; what the code itself keeps is shown by its words alone.
//
//   ShownRun shown(source)     after source.begin()
//   shown.after(step)          after each step that is taken
//   shown.finish(trace)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/runner.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper {

class ShownRun {
  public:
    // The source must outlive it.
    explicit ShownRun(Source& source);

    void after(TraceStep& step);
    // Of the look at the end: steps of nobody who is a caller.
    void after_look(TraceStep& step);
    void finish(Trace& trace);

  private:
    void look_at_state();
    void take_state(TraceStep& step);
    void take_calls(TraceStep& step);
    void name(TraceStep& step, const std::string& operation) const;

    Source& source_;
    const WorldConfig& world_;
    ValueWatch values_;
    OverlapWatch overlaps_;
    Observation seen_{};
    std::vector<CallerShown> callers_;
    std::vector<std::string> operations_;  // by caller: the word of the call under way
    std::size_t entries_ = 0;              // of the ledger's, taken until now
    std::size_t steps_ = 0;
};

}  // namespace lockkeeper

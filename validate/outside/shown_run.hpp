// SPDX-License-Identifier: Apache-2.0

// The parts of a run of outside code that reports draw beside its words, as for a run of a model:
// operations with their calls and returns, who believes to hold what, capacity, and overlaps of
// exclusive holders. The ledger knows all of them. The code's own state appears only in words.
//
//   ShownRun shown(source)     after source.begin()
//   shown.after(step)          after each step that is taken
//   shown.finish(trace)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/runs/trace.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper {

class ShownRun {
  public:
    // The source must outlive it.
    explicit ShownRun(Source& source);

    void after(TraceStep& step);
    // A step of the look at the end belongs to no caller.
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

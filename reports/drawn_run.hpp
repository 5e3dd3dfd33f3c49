// SPDX-License-Identifier: Apache-2.0

// One run as diagrams draw it: who takes which step, which operations are open, which messages are
// under way, and what the states show. Used by the writers of Mermaid, ShiViz, ITF, Perfetto, SVG.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "work/results/run_report.hpp"

namespace lockkeeper {

struct DrawnOperation {
    std::size_t party = 0;
    std::string name;                      // "acquire db"
    std::size_t first = 0;                 // steps count from 1
    std::optional<std::size_t> last = {};  // nothing: the run ends inside
    HistoryType ended = HistoryType::kOk;  // with `last`
};

// Steps of a run that is too long to be drawn: those at the beginning and those at the end, where
// it is decided. Numbers of steps, from 1.
struct StepWindow {
    std::size_t head = 0;  // the last step of the beginning
    std::size_t tail = 0;  // the first step of the end
    [[nodiscard]] bool has(std::size_t step) const { return step <= head || step >= tail; }
    [[nodiscard]] std::size_t left_out() const { return tail - head - 1; }
};
// With `steps_max` of them or, if there are fewer, all.
[[nodiscard]] StepWindow window_of(std::size_t steps_count, std::size_t steps_max);

// Owns nothing: the results must outlive it.
class DrawnRun {
  public:
    DrawnRun(const RunReport& report, const Trace& trace, const Finding* finding);

    [[nodiscard]] const RunReport& report() const { return *report_; }
    [[nodiscard]] const Trace& trace() const { return *trace_; }
    [[nodiscard]] const std::vector<TraceStep>& steps() const { return trace_->steps; }
    // "P2 leak (fatal) in 22 steps"; of a run that is no finding the report's verdict.
    [[nodiscard]] std::string title() const;
    // Step 0 is the state before the first step; nothing: the run is no cycle. The last state is
    // that after this step.
    [[nodiscard]] std::optional<std::size_t> cycle_start() const;

    // Callers first. Of a run without parties, as of an outside program, it is one.
    [[nodiscard]] const std::vector<std::string>& parties() const { return parties_; }
    [[nodiscard]] std::size_t party_of(const TraceStep& step) const;
    [[nodiscard]] bool takes_part(std::size_t party) const { return takes_part_[party]; }
    // "update_counter db[1] -> 2", without the party where the words are known.
    [[nodiscard]] std::string step_text(const TraceStep& step) const;

    [[nodiscard]] const std::vector<DrawnOperation>& operations() const { return operations_; }
    // Messages that were sent within the run: all, and those that arrive at this step.
    [[nodiscard]] const std::vector<TraceMessage>& messages() const { return messages_; }
    [[nodiscard]] std::vector<TraceMessage> arrivals_at(std::size_t step) const;
    // "lock db", "word of death"
    [[nodiscard]] std::string message_text(const TraceMessage& message) const;
    // All fields' values in each state, by the number of the step before it; see Trace::fields.
    [[nodiscard]] std::vector<std::vector<std::int32_t>> values() const;
    [[nodiscard]] std::string key_name(std::size_t key) const;

  private:
    void find_operations();
    void find_messages();
    void find_participants();

    const RunReport* report_;
    const Trace* trace_;
    const Finding* finding_;  // null: a run that was asked for
    std::vector<std::string> parties_;
    std::vector<bool> takes_part_;
    std::vector<DrawnOperation> operations_;
    std::vector<TraceMessage> messages_;
    std::multimap<std::size_t, std::size_t> arrivals_;  // in messages_, by step
};

// Each run that was asked for, else each violation that was found. Runs without words are left out.
[[nodiscard]] std::vector<DrawnRun> drawn_runs(const Results& results);

}  // namespace lockkeeper

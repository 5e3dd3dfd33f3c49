// SPDX-License-Identifier: Apache-2.0

// Where a search is, on stderr while it runs: on a terminal one line that is written over, at most
// twice a second; otherwise a plain line about every five seconds. Made by the verbs.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "work/results/watcher.hpp"

namespace lockkeeper {

// Each ends with the time that is left, where that can be said.
[[nodiscard]] std::string progress_text(const ExploreProgress& progress,
                                        const ProgressLimits& limits = {});
// "2 ranks, the fullest 1.01 of the mean, waiting 5 % of the time, 3.2 bytes sent a transition"
[[nodiscard]] std::string ranks_text(const RanksUse& ranks, std::uint64_t transitions);
[[nodiscard]] std::string progress_text(const FuzzProgress& progress,
                                        const ProgressLimits& limits = {});
[[nodiscard]] std::string progress_text(const MeasureProgress& progress,
                                        const ProgressLimits& limits = {});
[[nodiscard]] std::string progress_text(const proofs::ProofProgress& progress,
                                        const ProgressLimits& limits = {});

class ProgressLine : public Watcher {
  public:
    // `err` must outlive this. `quiet`: nothing is ever written.
    ProgressLine(std::ostream& err, bool is_terminal, bool quiet, ProgressLimits limits = {})
        : err_(err), is_terminal_(is_terminal), quiet_(quiet), limits_(limits) {}
    ~ProgressLine() override { ProgressLine::wipe(); }

    void show(const ExploreProgress& progress) override;
    void show(const FuzzProgress& progress) override;
    void show(const MeasureProgress& progress) override;
    void show(const proofs::ProofProgress& progress) override;
    // A line that stays, unless quiet.
    void say(const std::string& line) override;
    void say(const RanksUse& ranks, std::uint64_t transitions) override;
    // Leaves an empty line for what comes next.
    void wipe() override;

  private:
    template <class Progress>
    void show_when_due(const Progress& progress);
    [[nodiscard]] bool is_due(double seconds);
    void write(const std::string& line, double seconds);

    std::ostream& err_;
    bool is_terminal_;
    bool quiet_;
    ProgressLimits limits_;
    double last_seconds_ = 0;
    std::size_t shown_ = 0;  // characters on the terminal's line
};

}  // namespace lockkeeper

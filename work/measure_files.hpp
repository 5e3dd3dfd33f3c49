// SPDX-License-Identifier: Apache-2.0

// The files of `measure` beside its report: traces of its extreme schedules (--out), chains
// (--prism) and the plot (--svg), which are claimed before anything is measured. And its verdict:
// whether its figures agree with each other and stay below their bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/measured_point.hpp"
#include "measure/prism_export.hpp"
#include "scenarios/registry/job.hpp"
#include "scheduler/base/output_file.hpp"
#include "work/results/run_report.hpp"
#include "work/results/text_output.hpp"

namespace lockkeeper {

// The files of --prism, one for each point of the sweep.
using ChainFiles = std::vector<std::unique_ptr<PrismFiles>>;

struct WantedOutputs {
    std::optional<std::string> svg_file;
    std::optional<std::string> prism_directory;
    std::size_t points_count = 1;  // of a file's sweep
};

// The output files for one scenario file.
struct MeasureOutputs {
    std::unique_ptr<TextOutput> svg;
    ChainFiles chains;
};

// One for each of `files_count` files; for the second "rates-2.svg" and "2-chain". Makes the
// directory of chains. `standard` is stdout. Throws OutputError.
[[nodiscard]] std::vector<MeasureOutputs> claim_measure_outputs(std::ostream& standard,
                                                                const WantedOutputs& wanted,
                                                                std::size_t files_count,
                                                                const OutputRule& rule,
                                                                const OutputRule& rule_of_plots);

// For each property a run that the worst scheduler and one that the best may bring about, replayed
// and written into the directory. Adds to `files_written`. Throws OutputError.
void write_extremes(const Job& job, const MeasureResult& result, const std::string& directory,
                    const OutputRule& rule, std::vector<std::string>& files_written);

// BadInput where a limit cut the graph.
void write_chain(const Job& job, const MeasureOptions& options, PrismFiles& files,
                 RunReport& report);

// Fills verdict and `rates`. `below`: of all points; `max_rate`: of the first, the scenario as it
// stands.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate, RunReport& report);
// The same for a model. Where one scenario is measured, the model must also reach its goals. The
// search for goals has the scenario's time less `report.seconds`, to which it adds its own.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate,
                       const std::vector<Job>& jobs, std::optional<std::uint64_t> bytes_max,
                       RunReport& report);
// Inconclusive, where the time was over before so many points were measured.
void judge_points_left(std::size_t planned, RunReport& report);

}  // namespace lockkeeper

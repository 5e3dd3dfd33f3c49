// SPDX-License-Identifier: Apache-2.0

// The extreme schedules of `measure --bounds` as trace files (--out).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/measured_point.hpp"
#include "measure/prism_export.hpp"
#include "scenarios/registry/job.hpp"
#include "scheduler/base/output_file.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// For each property a run that the worst scheduler and one that the best may bring about, replayed
// and written into the directory. Adds to `files_written`. Throws OutputError.
void write_extremes(const Job& job, const MeasureResult& result, const std::string& directory,
                    const OutputRule& rule, std::vector<std::string>& files_written);

// The files of --prism, one for each point of the sweep.
using ChainFiles = std::vector<std::unique_ptr<PrismFiles>>;
// BadInput where a limit cut the graph.
void write_chain(const Job& job, const MeasureOptions& options, PrismFiles& files,
                 RunReport& report);

}  // namespace lockkeeper

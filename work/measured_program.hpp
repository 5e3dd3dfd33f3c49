// SPDX-License-Identifier: Apache-2.0

// `measure` of outside code: how often a run of a program, or of unmodified clients at the wire,
// violates what, sampled under a law. The figures are those of measure/sampled.hpp. One run that
// violates something is shrunk and shown, to be replayed by `validate`.
#pragma once

#include <optional>

#include "measure/measure_plan.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {

// The default number of runs; it is low because each run takes real messages.
inline constexpr std::uint64_t kOutsideRuns = 1'000;

// --program or --wire is given. UsageError: both are, or --client without --wire, or the other way
// round.
[[nodiscard]] bool names_outside_code(const std::optional<std::string>& program, bool wire,
                                      const std::optional<std::string>& client);

// Begins the report: what is known before the first run; what is asked. `runs_are_given`: else
// kOutsideRuns. UsageError: of models only.
[[nodiscard]] MeasureOptions begin_measuring(ProgramJob& job, const std::optional<Law>& law,
                                             const MeasureOptions& options, const MeasurePlan& plan,
                                             bool writes_files, bool runs_are_given);
// Fills in the rest. Throws as with_search does.
void measure_program(ProgramJob& job, const MeasureOptions& options, Watcher& watcher);

}  // namespace lockkeeper

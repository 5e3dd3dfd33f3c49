// Measuring a prepared scenario as the flags say: their limits, progress and forecast. Used by the
// verb `measure`, and by `run` for the bounds of `max_rate`.
#pragma once

#include "app/job.hpp"
#include "measure/prism_export.hpp"
#include "reports/measure_report.hpp"

namespace lockkeeper {

// Fills result, agreement, capacity and forecast.
void measure_job(const Session& session, const Job& job, const Law& law, MeasuredPoint& point);

// Writes the chain for PRISM. Returns what went wrong. Throws OutputError.
[[nodiscard]] std::optional<std::string> export_job(const Session& session, const Job& job,
                                                    const Law& law, PrismFiles& files);

// By property, whether its probability per run is at most what the scenario's `max_rate` says.
[[nodiscard]] std::vector<RateCheck> check_rates(const Session& session, const Job& job);

}  // namespace lockkeeper

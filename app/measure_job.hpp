// How a prepared scenario is measured, as the flags say. Used by the verb `measure`, and by `run`
// for the bounds of `max_rate`.
#pragma once

#include "app/job.hpp"
#include "measure/measured_point.hpp"

namespace lockkeeper {

[[nodiscard]] MeasureOptions measure_options(const Session& session, const Job& job,
                                             const Law& law);

// By property, whether its probability per run is at most what the scenario's `max_rate` says.
[[nodiscard]] std::vector<RateCheck> check_rates(const Session& session, const Job& job);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// A forecast as sentences. Called by measure_text.
#pragma once

#include <string>

#include "measure/forecast.hpp"

namespace lockkeeper {

[[nodiscard]] std::string forecast_text(const Forecast& forecast, bool sampled, double confidence);

}  // namespace lockkeeper

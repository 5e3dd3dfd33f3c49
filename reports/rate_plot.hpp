// The rates of `measure` as an SVG picture: one panel a property, the swept parameter to the right,
// the probability per run upwards on a logarithmic axis, intervals as bars, one line a variant (and
// a value of the second parameter). Black and grey lines with different marks, so that it can be
// printed. Called by the verb (--svg).
//
// What is exactly 0 has no place on such an axis: it is a small triangle on the lower edge; with
// no hit in a sample, the bar above it reaches up to what is not excluded.
// Limits: properties that are 0 everywhere are left out; at most 12 panels, named where cut.
#pragma once

#include <string>

#include "reports/measure_report.hpp"

namespace lockkeeper {

// Well-formed XML, whatever the names contain.
[[nodiscard]] std::string rate_plot(const MeasureReport& report);

}  // namespace lockkeeper

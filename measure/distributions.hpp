// SPDX-License-Identifier: Apache-2.0

// Boost's distributions, for intervals.cpp. They stand apart because the compiler takes as long for
// them as for half of measure/.
#pragma once

namespace lockkeeper {

// Where the beta distribution has `share` of itself below (above).
[[nodiscard]] double beta_quantile(double a, double b, double share);
[[nodiscard]] double beta_upper_quantile(double a, double b, double share);

// The share of the beta distribution below (above) `bound`.
[[nodiscard]] double beta_share_below(double a, double b, double bound);
[[nodiscard]] double beta_share_above(double a, double b, double bound);

// Where Student's distribution has `share` of itself above.
[[nodiscard]] double student_upper_quantile(double degrees_of_freedom, double share);

}  // namespace lockkeeper

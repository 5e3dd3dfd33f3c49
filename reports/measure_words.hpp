// Figures, intervals and times as the reports of `measure` print them: plain ASCII, the same in
// every locale. No errors; every value prints.
#pragma once

#include <string>

#include "reports/measure_report.hpp"

namespace lockkeeper {

// Up to six significant digits: "0.03125", "3.1e-09", "infinite".
[[nodiscard]] std::string number_text(double number);
// "[0.031, 0.032]".
[[nodiscard]] std::string interval_text(const Figure& figure);
// "0.03125 [0.031, 0.032]"; of an exact figure the ends say nothing that its digits do not.
[[nodiscard]] std::string with_interval(const Figure& figure, bool sampled);
// "0.2 s", "3.5 min", "7.1 h", "12 days", "3.2 years", "never" (infinite).
[[nodiscard]] std::string time_text(double seconds);
// "0.2 s [0.19 s, 0.21 s]"; of an exact figure without the ends.
[[nodiscard]] std::string time_with_interval(const Figure& figure, bool sampled);
// "exact" or "sampled": whether intervals are of chance and worth printing.
[[nodiscard]] bool is_sampled(const MeasureResult& result);
// Whether there is anything to print but how far it came.
[[nodiscard]] bool has_figures(const MeasureResult& result);
// "canal/faithful, max_decr_tries 3".
[[nodiscard]] std::string name_text(const MeasuredPoint& point);

}  // namespace lockkeeper

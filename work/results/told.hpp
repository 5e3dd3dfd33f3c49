// SPDX-License-Identifier: Apache-2.0

// The sentences that results have of themselves, whoever prints them: verdicts, scopes,
// reductions, the build. Used by work/ for verdicts and names, and by the writers. Plain ASCII, no
// errors.
#pragma once

#include <string>
#include <vector>

#include "measure/chosen_law.hpp"
#include "measure/measured_point.hpp"
#include "model/reduction.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The verdict with the detail that the report knows beyond it, where there is one: "P2 leak in 14
// steps".
[[nodiscard]] Verdict told_verdict(const RunReport& report);
// "violated: P2 leak in 14 steps", "inconclusive: limit states".
[[nodiscard]] std::string verdict_text(const RunReport& report);
// "lockkeeper 1.0.0 (1d41631ad230)"
[[nodiscard]] std::string build_text();
// "any number of A and of B (at least one of each), scripts repeat for ever, any number of crashes"
[[nodiscard]] std::string every_number_scope(const EveryNumber& numbers);
// "leak", "nobody can go on".
[[nodiscard]] std::string name_of(const SweptViolation& violation);
// "symmetry, sleep sets"; whether lengths are promised.
[[nodiscard]] std::string reductions_text(const Reductions& used);
// The reductions that were used: "symmetry", "sleep-sets", and the words of --reduction.
[[nodiscard]] std::vector<std::string> reductions_used(const ExploreResult& result);

// Figures, intervals and times as the reports of `measure` print them: plain ASCII, the same in
// every locale. No errors; every value prints.

// The text that --law reads: "uniform", "weights:step=1,crash=0.001", "rates:step=1000,crash=0.5".
[[nodiscard]] std::string law_text(const Law& law);
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
// "--law", "the scenario", "its traffic", "default".
[[nodiscard]] const char* name_of(LawOrigin origin);
[[nodiscard]] std::string warning_text(const LawWarning& warning);
// "P2 leak: exact 0.5, sampled 0.1 in [0.09, 0.11] at confidence 0.99"; empty: they agree.
[[nodiscard]] std::string difference_text(const Agreement& agreement);
// "some runs never end"; empty: they were compared, or there was nothing to compare.
[[nodiscard]] std::string not_compared_text(const MeasuredPoint& point);
// "/expect/max_rate/leak: expected at most 0.01 per run, actual 0.0312 (exact)"; empty: all are
// met. Undecided: says so.
[[nodiscard]] std::string first_rate_difference(const std::vector<RateCheck>& checks);
// "canal/faithful, max_decr_tries 3".
[[nodiscard]] std::string name_text(const MeasuredPoint& point);

}  // namespace lockkeeper

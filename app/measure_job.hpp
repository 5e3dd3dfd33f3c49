// Measuring one job: exact where the graph is small enough, sampled where not, both where both are
// cheap. Used by the verb `measure`, and by `run` for the bounds of `max_rate`.
#pragma once

#include "app/job.hpp"
#include "measure/prism_export.hpp"
#include "reports/measure_report.hpp"

namespace lockkeeper {

// Where nothing else is said, graphs up to this size are solved, larger ones sampled.
inline constexpr std::uint64_t kExactStates = 1'000'000;

struct ChosenLaw {
    Law law;
    std::string from;  // "--law", "the scenario", "its traffic", "default"
};
// The command line's, else the scenario's, else what its traffic says, else uniform.
[[nodiscard]] ChosenLaw law_for(const std::optional<Law>& flag, const Scenario& scenario);

// The rates that traffic says: each caller arrives, and crashes, with its share of the rate.
[[nodiscard]] Law law_of(const Traffic& traffic, const WorldConfig& world);

// What the scenario allows and the law forbids: "crashes are allowed, but have rate 0".
[[nodiscard]] std::vector<std::string> warnings_about(const Law& law, const Scenario& scenario);

// Properties that have a rate: livelock is one of cycles, not of runs.
[[nodiscard]] std::vector<const Property*> measurable(const std::vector<const Property*>& check);

// Fills result, agreement, capacity and forecast.
void measure_job(const Session& session, const Job& job, const Law& law, MeasuredPoint& point);

// Writes the chain for PRISM. Returns what went wrong. Throws OutputError.
[[nodiscard]] std::optional<std::string> export_job(const Session& session, const Job& job,
                                                    const Law& law, PrismFiles& files);

// Places of the first key, as its largest acquire sees them; 0: the system has no capacity.
[[nodiscard]] double capacity_of(const Job& job);

// By property, whether its probability per run is at most what the scenario's `max_rate` says.
// Whether a rate is at most `bound`, by the bounds of the rate; nothing: they do not say.
[[nodiscard]] std::optional<bool> met_by(const Figure& rate, double bound);

[[nodiscard]] std::vector<RateCheck> check_rates(const Session& session, const Job& job);

// "P2 leak: 0.0312 per run (exact) is above 0.01"; empty: all are met. Undecided: says so.
[[nodiscard]] std::string first_rate_difference(const std::vector<RateCheck>& checks);

}  // namespace lockkeeper

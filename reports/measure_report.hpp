// What `measure` came to: a part of the tree of run_report.hpp. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/forecast.hpp"
#include "measure/measure.hpp"
#include "reports/conclusion.hpp"

namespace lockkeeper {

// Both ways where both are cheap.
struct Agreement {
    MeasureResult sampled;      // beside the exact result; of fewer runs
    bool agrees = true;         // every exact figure that was compared is in its sampled interval
    std::uint64_t figures = 0;  // so many were: all probabilities, and means of what is not rare
    std::string difference;
};

// One system with one choice of parameters.
struct MeasuredPoint {
    std::string system;
    std::string variant;
    std::string scope;                               // see scope_text
    std::vector<std::pair<std::string, double>> at;  // the swept parameters
    double capacity = 0;                             // of the first key; 0: it has none
    MeasureResult result;
    std::optional<Agreement> agreement;
    std::string not_compared;  // why there is none
    std::optional<Forecast> forecast;
};

// `max_rate` of the scenario, by one property.
struct RateCheck {
    const Property* property = nullptr;
    double bound = 0;
    Figure rate;  // per run
    std::string method;
    std::optional<bool> met;  // nothing: not decided
};

// A measurement has passed where no figure is above its bound.
inline constexpr VerdictWords kMeasureWords{"measured", "exceeded"};

struct MeasureReport : Conclusion {
    std::string file;
    std::uint64_t seed = 0;
    std::string scope;
    Law law;
    std::string law_from;  // "--law", "the scenario", "its traffic", "default"
    std::vector<std::string> warnings;
    double confidence = 0;
    std::vector<const Property*> checked;
    std::vector<MeasuredPoint> points;
    std::vector<RateCheck> gate;
    std::vector<std::string> files_written;
    std::string repeat_command;
    double seconds = 0;
};

// As --law reads it: "uniform", "weights:step=1,crash=0.001", "rates:step=1000,crash=0.5".
[[nodiscard]] std::string law_text(const Law& law);

}  // namespace lockkeeper

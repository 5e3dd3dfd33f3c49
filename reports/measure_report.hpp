// What `measure` came to: a part of the tree of run_report.hpp. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/chosen_law.hpp"
#include "measure/measured_point.hpp"
#include "reports/conclusion.hpp"

namespace lockkeeper {

// A measurement has passed where no figure is above its bound.
inline constexpr VerdictWords kMeasureWords{"measured", "exceeded"};

struct MeasureReport : Conclusion {
    std::string file;
    std::uint64_t seed = 0;
    std::string scope;
    ChosenLaw law;
    std::vector<LawWarning> warnings;
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

// The flags of `measure` that no other verb has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "measure/measure_plan.hpp"
#include "reports/measure_words.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): as the library calls it
class App;
}

namespace lockkeeper {

inline constexpr double kLossShareDefault = 0.01;  // of --keep-loss-under

struct MeasureFlags {
    std::optional<Law> law;  // else the scenario's, else what its traffic says, else uniform
    MeasureMethod method = MeasureMethod::kAuto;
    double confidence = 0.99;
    double relative_width = 0;
    std::optional<double> below;
    std::optional<std::uint64_t> runs_max;
    bool bounds = false;
    std::optional<double> keep_loss_under;  // a share, above 0 and up to 1
    MeasurePlan plan;                       // --compare and --sweep, at most two
    std::optional<std::string> prism_directory;
    std::optional<std::string> csv_file;
    std::optional<std::string> svg_file;
};

// A value that is wrong ends in a UsageError, which names the flag.
void add_measure_flags(CLI::App& command, MeasureFlags& flags);

}  // namespace lockkeeper

// SPDX-License-Identifier: Apache-2.0

// The files of `measure` beside its report (--svg, --prism), claimed before anything is measured.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/prism_export.hpp"
#include "work/results/run_report.hpp"
#include "work/results/text_output.hpp"

namespace lockkeeper {

struct WantedOutputs {
    std::optional<std::string> svg_file;
    std::optional<std::string> prism_directory;
    std::size_t points_count = 1;  // of a file's sweep
};

// The output files for one scenario file.
struct MeasureOutputs {
    std::unique_ptr<TextOutput> svg;
    std::vector<std::unique_ptr<PrismFiles>> chains;  // one a point of the sweep
};

// One for each of `files_count` files; for the second "rates-2.svg" and "2-chain". Makes the
// directory of chains. `standard` is stdout. Throws OutputError.
[[nodiscard]] std::vector<MeasureOutputs> claim_measure_outputs(std::ostream& standard,
                                                                const WantedOutputs& wanted,
                                                                std::size_t files_count,
                                                                const OutputRule& rule);

void write_plot(TextOutput& file, RunReport& report);

}  // namespace lockkeeper

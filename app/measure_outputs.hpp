// What `measure` writes for each of its files (--svg, --prism), claimed before anything is
// measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session.hpp"
#include "measure/prism_export.hpp"

namespace lockkeeper {

struct MeasureOutputs {
    std::unique_ptr<TextOutput> svg;
    std::vector<std::unique_ptr<PrismFiles>> chains;  // one a point of the sweep
};

// One for each file. Makes the directory of --prism. Throws OutputError.
[[nodiscard]] std::vector<MeasureOutputs> claim_measure_outputs(
    const Session& session, const std::vector<InputFile>& files);

}  // namespace lockkeeper

// Everything that `measure` does with one file: law, sweep, comparison, verdict, files. Called by
// the verb, which prints what comes back.
#pragma once

#include "app/measure_job.hpp"
#include "app/measure_outputs.hpp"

namespace lockkeeper {

// Prints the first lines of the report, because measuring may take long. Errors: BadInput,
// UsageError, OutputError.
[[nodiscard]] MeasureReport measure_file(const Session& session, const std::string& file,
                                         MeasureOutputs& outputs);

// The command that gives the same figures again. What the file and the environment say is left to
// them, apart from seed and law.
[[nodiscard]] std::string repeat_command(const Session& session, const MeasureReport& report);

}  // namespace lockkeeper
